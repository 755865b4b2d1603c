// Validates one `:predict` request for images: Imagen's fields, and nothing else.
import { asRecord, asRecords, asText, type JsonRecord } from '../../json-value.ts';
import { type GenerateRefusal, invalid, wordProblem } from '../google-generate/refusal.ts';
import { imageTypeOf, isBase64 } from '../judgement.ts';
import { Shapes } from '../shape-check.ts';

const MAX_REFERENCES = 4;

const shapes = new Shapes(`
  Image = { bytesBase64Encoded: text(1..), mimeType?: 'image/png' | 'image/jpeg' }
  Reference = {
    referenceId: int,
    referenceType: 'REFERENCE_TYPE_RAW' | 'REFERENCE_TYPE_MASK' | 'REFERENCE_TYPE_CONTROL' | 'REFERENCE_TYPE_STYLE'
      | 'REFERENCE_TYPE_SUBJECT' | 'REFERENCE_TYPE_CONTENT',
    referenceImage?: Image,
    maskImageConfig?: {
      maskMode: 'MASK_MODE_USER_PROVIDED' | 'MASK_MODE_BACKGROUND' | 'MASK_MODE_FOREGROUND' | 'MASK_MODE_SEMANTIC'
        | 'MASK_MODE_DEFAULT',
      dilation?: num(0..1), maskClasses?: [int]
    },
    controlImageConfig?, styleImageConfig?, subjectImageConfig?
  }
  Predict = {
    instances: [{ prompt: text(1..), referenceImages?: [Reference](1..) }](1..1),
    parameters?: {
      sampleCount?: int(1..4), negativePrompt?: text, aspectRatio?: '1:1' | '3:4' | '4:3' | '9:16' | '16:9',
      sampleImageSize?: '1K' | '2K',
      outputOptions?: { mimeType?: 'image/png' | 'image/jpeg', compressionQuality?: int(0..100) },
      seed?: int(0..), enhancePrompt? addWatermark?: flag, guidanceScale?: num,
      personGeneration?: 'dont_allow' | 'allow_adult' | 'allow_all', safetySetting?: text, includeRaiReason?: flag,
      editMode?: text(/^EDIT_MODE_/), editConfig?
    }
  }
`);

export function checkPredict(body: JsonRecord, model: string): GenerateRefusal | undefined {
  const problem = shapes.first('Predict', body);
  if (problem !== undefined) return wordProblem(problem);
  if (!/^(imagen-|simple-image)/u.test(model)) {
    const message = `Publisher Model \`${model}\` was not found or your project does not have access to it.`;
    return { code: 404, status: 'NOT_FOUND', message };
  }
  const { outputOptions, seed, addWatermark } = asRecord(body['parameters']);
  const { compressionQuality, mimeType } = asRecord(outputOptions);
  if (compressionQuality !== undefined && mimeType !== 'image/jpeg')
    return invalid('Image compression quality is only supported for image/jpeg.');
  if (seed !== undefined && addWatermark === true) return invalid('Seed is not supported when watermark is enabled.');
  const references = asRecords(asRecords(body['instances'])[0]?.['referenceImages']);
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
