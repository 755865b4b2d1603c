// Validates one `:predict` request for images: Imagen's fields, and nothing else.
import type { JsonRecord } from '../../json-value.ts';
import { asList, asNumber, asRecord, asText } from '../../json-value.ts';
import { type GenerateRefusal, invalid, wordProblem } from '../google-generate/refusal.ts';
import { firstOf, imageTypeOf, isBase64 } from '../judgement.ts';
import { anything, decimal, flag, integer, list, object, text, word } from '../shape-check.ts';

const MAX_SAMPLES = 4;
const MAX_REFERENCES = 4;

const image = object({ bytesBase64Encoded: text({ min: 1 }) }, { mimeType: word('image/png', 'image/jpeg') });
const reference = object(
  {
    referenceId: integer(),
    referenceType: word(
      'REFERENCE_TYPE_RAW',
      'REFERENCE_TYPE_MASK',
      'REFERENCE_TYPE_CONTROL',
      'REFERENCE_TYPE_STYLE',
      'REFERENCE_TYPE_SUBJECT',
      'REFERENCE_TYPE_CONTENT',
    ),
  },
  {
    referenceImage: image,
    maskImageConfig: object(
      {
        maskMode: word(
          'MASK_MODE_USER_PROVIDED',
          'MASK_MODE_BACKGROUND',
          'MASK_MODE_FOREGROUND',
          'MASK_MODE_SEMANTIC',
          'MASK_MODE_DEFAULT',
        ),
      },
      { dilation: decimal({ min: 0, max: 1 }), maskClasses: list(integer()) },
    ),
    controlImageConfig: anything,
    styleImageConfig: anything,
    subjectImageConfig: anything,
  },
);

const shape = object(
  {
    instances: list(object({ prompt: text({ min: 1 }) }, { referenceImages: list(reference, { min: 1 }) }), {
      min: 1,
      max: 1,
    }),
  },
  {
    parameters: object(
      {},
      {
        sampleCount: integer({ min: 1, max: MAX_SAMPLES }),
        negativePrompt: text(),
        aspectRatio: word('1:1', '3:4', '4:3', '9:16', '16:9'),
        sampleImageSize: word('1K', '2K'),
        outputOptions: object(
          {},
          { mimeType: word('image/png', 'image/jpeg'), compressionQuality: integer({ min: 0, max: 100 }) },
        ),
        seed: integer({ min: 0 }),
        enhancePrompt: flag,
        addWatermark: flag,
        guidanceScale: decimal(),
        personGeneration: word('dont_allow', 'allow_adult', 'allow_all'),
        safetySetting: text(),
        includeRaiReason: flag,
        editMode: text({ pattern: /^EDIT_MODE_/u }),
        editConfig: anything,
      },
    ),
  },
);

export function checkPredict(body: JsonRecord, model: string): GenerateRefusal | undefined {
  return firstOf(
    () => wordProblem(shape(body, [], { ignoreUnknown: false })),
    () => (/^(imagen-|simple-image)/u.test(model) ? undefined : notFound(model)),
    () => checkSettings(asRecord(body['parameters'])),
    () => checkReferences(asList(asRecord(asList(body['instances'])[0])['referenceImages']).map(asRecord)),
  );
}

const notFound = (model: string): GenerateRefusal => ({
  code: 404,
  status: 'NOT_FOUND',
  message: `Publisher Model \`${model}\` was not found or your project does not have access to it.`,
});

function checkSettings(parameters: JsonRecord): GenerateRefusal | undefined {
  const options = asRecord(parameters['outputOptions']);
  if (options['compressionQuality'] !== undefined && options['mimeType'] !== 'image/jpeg')
    return invalid('Image compression quality is only supported for image/jpeg.');
  if (asNumber(parameters['seed']) !== undefined && parameters['addWatermark'] === true)
    return invalid('Seed is not supported when watermark is enabled.');
  return undefined;
}

function checkReferences(references: readonly JsonRecord[]): GenerateRefusal | undefined {
  if (references.length === 0) return undefined;
  if (references.length > MAX_REFERENCES) return invalid(`At most ${MAX_REFERENCES} reference images are allowed.`);
  const ids = new Set(references.map((each) => each['referenceId']));
  if (ids.size !== references.length) return invalid('Reference ids must be unique.');
  for (const each of references) {
    const data = asText(asRecord(each['referenceImage'])['bytesBase64Encoded']);
    if (data !== '' && (!isBase64(data) || imageTypeOf(data) === undefined)) return invalid('Invalid image.');
    if (each['referenceType'] === 'REFERENCE_TYPE_MASK' && each['maskImageConfig'] === undefined)
      return invalid('Mask reference needs mask_image_config.');
  }
  const hasRaw = references.some((each) => each['referenceType'] !== 'REFERENCE_TYPE_MASK');
  return hasRaw ? undefined : invalid('A raw reference image is required.');
}
