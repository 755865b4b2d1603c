/** A gateway that answers every call of the data plane's reference, as it is shown there. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CALL_EXAMPLES,
  CONVERSATION_ID,
  OPERATION_ID,
  REQUEST_ID,
  RESPONSE_ID,
} from '../../scripts/docs/data-plane/examples.ts';
import { OPERATIONS } from '../../scripts/docs/data-plane/operations.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { rerankHosts } from '../support/rerank-probe.ts';
import { soundModels } from '../support/sound-probe.ts';
import { KEY } from '../support/stand.ts';
import { PNG } from '../support/video-probe.ts';

const GATEWAY = 'https://gw.example.com';

export type ApiStand = AdminStand & {
  /** Where samples run: it holds the files they name. */
  readonly folder: string;
  /** The example of a call with the ids of real requests in it. */
  filledIn(sample: string): string;
  call(id: string): Promise<{ readonly status: number; readonly text: string }>;
};

export async function openApiStand(): Promise<ApiStand> {
  const folder = mkdtempSync(join(tmpdir(), 'api-samples-'));
  writeFileSync(join(folder, 'boat.png'), Buffer.from(PNG, 'base64'));
  writeFileSync(join(folder, 'talk.mp3'), Buffer.from('ID3 of a talk without listeners'));
  const stand = await openAdminStand({
    alsoHosts: (url, ...more) => ({
      providers: { cohere: rerankHosts(url, ...more).providers['cohere'] },
      models: soundModels,
    }),
    config: () => ({
      blobs: { folder: join(folder, 'blobs') },
      operations: { pollEveryMs: 50 },
      seals: { keys: ['a-seal-key-for-tests-0123456789abcdef'] },
      secrets: { keys: ['a key of at least thirty-two characters'] },
      state: { keepHours: 1 },
      retries: { budgetPercent: 200, maxWaitMs: 1 },
      rateLimits: { perKey: { requestsPerMinute: 6000 } },
    }),
  });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const post = (path: string, body: unknown) =>
    fetch(`${stand.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const first = await post('/v1/chat/completions', CALL_EXAMPLES['createChatCompletion']?.body);
  const requestId = first.headers.get('x-request-id') ?? '';
  await first.text();
  const video = await post(
    '/v1beta/models/google/veo-3.1:predictLongRunning',
    CALL_EXAMPLES['predictLongRunning']?.body,
  );
  const operationId =
    String(((await video.json()) as { name?: string }).name)
      .split('/')
      .at(-1) ?? '';
  const idOf = async (path: string, call: string): Promise<string> =>
    String(((await (await post(path, CALL_EXAMPLES[call]?.body)).json()) as { id?: string }).id);
  const real: Readonly<Record<string, string>> = {
    [GATEWAY]: stand.url,
    [REQUEST_ID]: requestId,
    [OPERATION_ID]: operationId,
    [RESPONSE_ID]: await idOf('/v1/responses', 'createResponse'),
    [CONVERSATION_ID]: await idOf('/v1/conversations', 'createConversation'),
  };
  const filledIn = (sample: string): string =>
    Object.entries(real).reduce((text, [shown, own]) => text.replaceAll(shown, own), sample);
  return {
    ...stand,
    folder,
    filledIn,
    call: async (id) => {
      const operation = OPERATIONS.find((one) => one.id === id);
      if (operation === undefined) throw new Error(id);
      const { path = {}, query, headers: more, body, files } = CALL_EXAMPLES[id] ?? {};
      const place = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
      const form = new FormData();
      for (const [name, value] of Object.entries(body ?? {})) form.append(name, String(value));
      for (const [name, file] of Object.entries(files ?? {}))
        form.append(name, new Blob([Buffer.from(PNG, 'base64')], { type: 'image/png' }), file);
      const target = filledIn(`${GATEWAY}${place}${query === undefined ? '' : `?${new URLSearchParams(query)}`}`);
      const response = await fetch(target, {
        method: operation.method.toUpperCase(),
        headers: { ...(files === undefined ? headers : { authorization: headers.authorization }), ...more },
        ...(files !== undefined ? { body: form } : body !== undefined && { body: filledIn(JSON.stringify(body)) }),
      });
      return { status: response.status, text: await response.text() };
    },
    close: async () => {
      await stand.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
