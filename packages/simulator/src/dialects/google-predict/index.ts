// Google's image `:predict`, simulated by `google` (Gemini API) and `vertex`: one prediction per image, blocked or not.
import { parseObject } from '../../json-text.ts';
import { asNumber, asRecord, asRecords, asText, type JsonRecord } from '../../json-value.ts';
import type { PictureDelivery } from '../../pictures/order.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { checkCredential } from '../google-generate/check.ts';
import { invalid } from '../google-generate/refusal.ts';
import { refused, statusReply } from '../google-generate/status-replies.ts';
import { decodeSegment } from '../judgement.ts';
import { json, replyOnly } from '../replies.ts';
import { checkPredict } from './check.ts';

const PATH =
  /^\/v1(?:beta1?)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/google\/)?models\/((?:imagen|simple-image)[^/]*):predict$/u;
const HEADERS = { 'content-type': 'application/json; charset=UTF-8' } as const;
const REASON =
  'Unable to show generated images. All images were filtered out because they violated the usage guidelines. Support codes: 58061214';

export const googlePredict: SimulatedDialect = {
  name: 'google-predict',
  vendors: ['google', 'vertex'],
  paths: [PATH],
  understand,
};

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const early = options.lenient ? undefined : checkCredential(request, options);
  if (early !== undefined) return refused(early);
  const body = parseObject(request.body);
  if (body === undefined) return refused(invalid('Invalid JSON payload received.'));
  const model = decodeSegment(PATH.exec(request.path)?.[1] ?? '');
  const refusal = options.lenient ? undefined : checkPredict(body, model);
  if (refusal !== undefined) return refused(refusal, body);
  const parameters = asRecord(body['parameters']);
  const isJpeg = asRecord(parameters['outputOptions'])['mimeType'] === 'image/jpeg';
  return {
    kind: 'pictures',
    order: {
      model,
      prompt: asText(asRecords(body['instances'])[0]?.['prompt']),
      count: asNumber(parameters['sampleCount']) ?? 1,
      type: isJpeg ? 'jpeg' : 'png',
      partials: 0,
      origin: `http://${request.headers.host ?? ''}`,
    },
    streamed: false,
    body,
    renderer: RENDERER,
    render: (delivery) => ({ reply: replyOf(delivery, parameters), frames: [] }),
  };
}

function replyOf({ outcomes, knobs }: PictureDelivery, parameters: JsonRecord): Reply {
  const predictions = outcomes.map((outcome) => {
    if (outcome.blocked) return parameters['includeRaiReason'] === true ? { raiFilteredReason: REASON } : {};
    const declaredType = knobs.manner === 'webp' ? 'image/png' : `image/${outcome.picture.type}`;
    return {
      mimeType: declaredType,
      ...(outcome.url === undefined
        ? { bytesBase64Encoded: outcome.picture.bytes.toString('base64') }
        : { gcsUri: outcome.url }),
      ...(knobs.manner === 'revised' && { prompt: 'A better prompt.' }),
    };
  });
  return json(200, predictions.length === 0 ? {} : { predictions }, HEADERS);
}

const RENDERER = replyOnly((fault) => statusReply(fault, false));
