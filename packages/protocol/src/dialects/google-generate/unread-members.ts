/** Members of contents, parts, tools and settings of a generateContent request that the codec does not read. */
import { type JsonObject, objectAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { namesAt, namesIn, objectsIn, UnreadMembers } from '../unread-members.ts';
import { ConfigWire, FunctionDeclarationsWire, RootWire } from './wire.ts';

const PART = 'contents.parts';
const content = namesAt(RootWire, 'contents');
const part = namesAt(RootWire, PART);
const resolution = namesAt(RootWire, `${PART}.mediaResolution`);
const call = namesAt(RootWire, `${PART}.functionCall`);
const response = namesAt(RootWire, `${PART}.functionResponse`);
const inline = namesAt(RootWire, `${PART}.inlineData`);
const file = namesAt(RootWire, `${PART}.fileData`);
const video = namesAt(RootWire, `${PART}.videoMetadata`);
const declaration = namesIn(FunctionDeclarationsWire);
const calling = namesAt(RootWire, 'toolConfig.functionCallingConfig');
const thinking = namesAt(ConfigWire, 'thinkingConfig');
const safety = namesAt(RootWire, 'safetySettings');

/** Members of parts, responses and declarations also reach hosts of this dialect if the request is rebuilt. */
export function unreadMembers(body: JsonObject, config: JsonObject, forSameDialect: boolean): readonly Loss[] {
  const unread = new UnreadMembers();
  const system = objectAt(body, 'systemInstruction');
  unread.look(system, content, 'systemInstruction');
  lookAtParts(system, 'systemInstruction.parts', forSameDialect, unread);
  for (const each of objectsIn(body['contents'])) {
    unread.look(each, content, 'contents');
    lookAtParts(each, 'contents.parts', forSameDialect, unread);
  }
  if (!forSameDialect)
    for (const tool of objectsIn(body['tools']))
      for (const each of objectsIn(tool['functionDeclarations']))
        unread.look(each, declaration, 'tools.functionDeclarations');
  const toolConfig = objectAt(body, 'toolConfig') ?? {};
  unread.lookIn(toolConfig, 'functionCallingConfig', calling, 'toolConfig');
  unread.lookIn(config, 'thinkingConfig', thinking, 'generationConfig');
  for (const each of objectsIn(body['safetySettings'])) unread.look(each, safety, 'safetySettings');
  return unread.losses;
}

function lookAtParts(holder: JsonObject | undefined, path: string, forSameDialect: boolean, unread: UnreadMembers) {
  for (const each of objectsIn(holder?.['parts'])) {
    if (!forSameDialect) {
      unread.look(each, part, path);
      unread.lookIn(each, 'functionResponse', response, path);
    }
    unread.lookIn(each, 'functionCall', call, path);
    unread.lookIn(each, 'inlineData', inline, path);
    unread.lookIn(each, 'fileData', file, path);
    unread.lookIn(each, 'videoMetadata', video, path);
    unread.lookIn(each, 'mediaResolution', resolution, path);
    lookAtParts(objectAt(each, 'functionResponse'), `${path}.functionResponse.parts`, forSameDialect, unread);
  }
}
