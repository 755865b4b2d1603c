// Other people's readers of converse: AWS's own client, and the AI SDK's. Run in the folder where they are installed.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, url, count] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { BedrockRuntimeClient, ConverseStreamCommand } = await load('@aws-sdk/client-bedrock-runtime');
const { NodeHttpHandler } = await load('@smithy/node-http-handler');
const { createAmazonBedrock } = await load('@ai-sdk/amazon-bedrock');

const aws = new BedrockRuntimeClient({
  endpoint: url,
  region: 'eu-central-1',
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  requestHandler: new NodeHttpHandler(),
  maxAttempts: 1,
});
const sdk = createAmazonBedrock({ baseURL: url, region: 'eu-central-1', apiKey: 'key' });

async function byClient(modelId) {
  const said = { text: '', thinking: '', signatures: [], redacted: 0, calls: [], citations: 0 };
  const sealed = new Set();
  try {
    const { stream } = await aws.send(
      new ConverseStreamCommand({ modelId, messages: [{ role: 'user', content: [{ text: 'x' }] }] }),
    );
    for await (const event of stream) {
      const { toolUse } = event.contentBlockStart?.start ?? {};
      if (toolUse !== undefined) said.calls.push({ id: toolUse.toolUseId, name: toolUse.name, input: '' });
      const delta = event.contentBlockDelta?.delta ?? {};
      said.text += delta.text ?? '';
      said.thinking += delta.reasoningContent?.text ?? '';
      if (delta.reasoningContent?.signature !== undefined) said.signatures.push(delta.reasoningContent.signature);
      if (delta.reasoningContent?.redactedContent !== undefined) sealed.add(event.contentBlockDelta.contentBlockIndex);
      if (delta.toolUse !== undefined) said.calls.at(-1).input += delta.toolUse.input;
      if (delta.citation !== undefined) said.citations += 1;
      if (event.messageStop !== undefined) said.stop = event.messageStop.stopReason;
      const { usage } = event.metadata ?? {};
      if (usage !== undefined)
        said.usage = [
          usage.inputTokens,
          usage.outputTokens,
          usage.cacheReadInputTokens ?? 0,
          usage.cacheWriteInputTokens ?? 0,
        ];
    }
    return { ...said, redacted: sealed.size };
  } catch (error) {
    return { error: error.name };
  }
}

async function bySdk(modelId) {
  const said = { text: '', thinking: '', calls: [] };
  try {
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }];
    const { stream } = await sdk(modelId).doStream({ prompt });
    for await (const part of stream) {
      if (part.type === 'text-delta') said.text += part.delta;
      if (part.type === 'reasoning-delta') said.thinking += part.delta;
      if (part.type === 'tool-call') said.calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
      if (part.type === 'error') return { error: String(part.error?.name ?? part.error) };
      if (part.type === 'finish') said.usage = [part.usage.inputTokens.noCache, part.usage.outputTokens.total];
    }
    return said;
  } catch (error) {
    return { error: error.name };
  }
}

for (let at = 0; at < Number(count); at++)
  console.log(JSON.stringify({ client: await byClient(String(at)), sdk: await bySdk(String(at)) }));
