// Seals that come back: signatures of thinking, redacted thinking, search results and the citations of them.
import { asList, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import { isSealValid, type SealIssuer } from '../../seals.ts';
import { firstOf } from '../judgement.ts';
import type { Path } from '../shape-check.ts';
import { turnsOf } from './conversation.ts';
import { at, type MessagesRefusal } from './refusal.ts';

export function checkSeals(body: JsonRecord, issuer: SealIssuer): MessagesRefusal | undefined {
  return firstOf(
    turnsOf(body).flatMap((turn, index) =>
      turn.role === 'assistant'
        ? turn.blocks.map((block, place) => () => checkBlock(block, ['messages', index, 'content', place], issuer))
        : [],
    ),
  );
}

function checkBlock(block: JsonRecord, path: Path, issuer: SealIssuer): MessagesRefusal | undefined {
  switch (block['type']) {
    case 'thinking':
      return isSealValid(issuer, 'thinking', asText(block['thinking']), asText(block['signature']))
        ? undefined
        : at(path, 'Invalid `signature` in `thinking` block');
    case 'redacted_thinking':
      return isSealValid(issuer, 'redacted-thinking', '', asText(block['data']))
        ? undefined
        : at(path, 'Invalid `data` in `redacted_thinking` block');
    case 'web_search_tool_result':
      return asList(block['content'])
        .map(asRecord)
        .every((result) => isResultGenuine(result, issuer))
        ? undefined
        : at(path, 'Invalid `encrypted_content` in `web_search_result` block');
    case 'text':
      return asList(block['citations'])
        .map(asRecord)
        .every((citation) => isCitationGenuine(citation, issuer))
        ? undefined
        : at(path, 'Invalid `encrypted_index` in `web_search_result_location` citation');
    default:
      return undefined;
  }
}

/** The text that the seal of a search result or a citation signs. */
export function shownResult(url: string, title: string): string {
  return JSON.stringify([url, title]);
}

function isResultGenuine(result: JsonRecord, issuer: SealIssuer): boolean {
  const shown = shownResult(asText(result['url']), asText(result['title']));
  return isSealValid(issuer, 'search-result', shown, asText(result['encrypted_content']));
}

function isCitationGenuine(citation: JsonRecord, issuer: SealIssuer): boolean {
  if (citation['type'] !== 'web_search_result_location') return true;
  const shown = shownResult(asText(citation['url']), asText(citation['cited_text']));
  return isSealValid(issuer, 'citation', shown, asText(citation['encrypted_index']));
}
