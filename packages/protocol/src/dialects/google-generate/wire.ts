/** The generateContent request as callers may send it, after normalising member names and nulls. */
import { type TSchema, Type } from 'typebox';
import { anyObject } from '../checking.ts';

const Maybe = <T extends TSchema>(schema: T) => Type.Optional(schema);
const AnyObject = anyObject();

/** MIME types callers may send, inline and by file. */
export const MIME_TYPES: readonly string[] = [
  'application/pdf',
  'audio/mpeg',
  'audio/mp3',
  'audio/wav',
  'image/png',
  'image/jpeg',
  'image/webp',
  'text/plain',
  'video/mov',
  'video/mpeg',
  'video/mp4',
  'video/mpg',
  'video/avi',
  'video/wmv',
  'video/mpegps',
  'video/flv',
  'video/x-ms-wmv',
];

export const MEDIA_RESOLUTIONS = [
  'MEDIA_RESOLUTION_UNSPECIFIED',
  'MEDIA_RESOLUTION_LOW',
  'MEDIA_RESOLUTION_MEDIUM',
  'MEDIA_RESOLUTION_HIGH',
  'MEDIA_RESOLUTION_ULTRA_HIGH',
] as const;

/** A part has exactly one of these. */
export const DATA_FIELDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;

const name = Type.String({ minLength: 1 });
const Duration = Type.String({ pattern: '^[0-9]+(\\.[0-9]{1,9})?s$' });
const displayName = Maybe(Type.Unknown());
const Media = Type.Object({ mimeType: Type.String(), data: Type.String(), displayName });
const File = Type.Object({ mimeType: Type.String(), fileUri: Type.String({ minLength: 1 }), displayName });

export const PartWire = Type.Object({
  text: Maybe(Type.String()),
  inlineData: Maybe(Media),
  fileData: Maybe(File),
  functionCall: Maybe(Type.Object({ id: Maybe(Type.String()), name, args: Maybe(AnyObject) })),
  functionResponse: Maybe(
    Type.Object({ id: Maybe(Type.String()), name, response: AnyObject, parts: Maybe(Type.Unknown()) }),
  ),
  executableCode: Maybe(AnyObject),
  codeExecutionResult: Maybe(AnyObject),
  toolCall: Maybe(AnyObject),
  toolResponse: Maybe(AnyObject),
  thought: Maybe(Type.Boolean()),
  thoughtSignature: Maybe(Type.String()),
  videoMetadata: Maybe(
    Type.Object({ startOffset: Maybe(Duration), endOffset: Maybe(Duration), fps: Maybe(Type.Number()) }),
  ),
  mediaResolution: Maybe(Type.Union([Type.String(), Type.Object({ level: Type.String() })])),
});

const Parts = Type.Array(PartWire, { minItems: 1 });

export const RootWire = Type.Object({
  contents: Type.Array(Type.Object({ role: Maybe(Type.Enum(['user', 'model'])), parts: Parts }), { minItems: 1 }),
  systemInstruction: Maybe(Type.Object({ parts: Parts })),
  cachedContent: Maybe(Type.String({ pattern: '^projects/[^/]+/locations/[^/]+/cachedContents/[^/]+$' })),
  tools: Maybe(Type.Array(AnyObject)),
  toolConfig: Maybe(
    Type.Object({
      functionCallingConfig: Maybe(
        Type.Object({
          mode: Maybe(Type.Enum(['AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED'])),
          allowedFunctionNames: Maybe(Type.Array(Type.String())),
        }),
      ),
      retrievalConfig: Maybe(AnyObject),
    }),
  ),
  safetySettings: Maybe(
    Type.Array(
      Type.Object({
        category: Type.Enum([
          'HARM_CATEGORY_UNSPECIFIED',
          'HARM_CATEGORY_HATE_SPEECH',
          'HARM_CATEGORY_HARASSMENT',
          'HARM_CATEGORY_SEXUALLY_EXPLICIT',
          'HARM_CATEGORY_DANGEROUS_CONTENT',
        ]),
        threshold: Type.Enum([
          'OFF',
          'BLOCK_NONE',
          'BLOCK_ONLY_HIGH',
          'BLOCK_MEDIUM_AND_ABOVE',
          'BLOCK_LOW_AND_ABOVE',
          'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
        ]),
        method: Maybe(Type.Enum(['HARM_BLOCK_METHOD_UNSPECIFIED', 'SEVERITY', 'PROBABILITY'])),
      }),
    ),
  ),
  generationConfig: Maybe(AnyObject),
});

export const FunctionDeclarationsWire = Type.Array(
  Type.Object({
    name,
    description: Maybe(Type.String()),
    parameters: Maybe(AnyObject),
    parametersJsonSchema: Maybe(AnyObject),
  }),
);

const VoiceConfig = Type.Object({
  prebuiltVoiceConfig: Maybe(Type.Object({ voiceName: Maybe(Type.String()) })),
  replicatedVoiceConfig: Maybe(Type.Object({ mimeType: Type.String(), voiceSample: Type.String() })),
});

const Penalty = Type.Number({ minimum: -2, exclusiveMaximum: 2 });

export const ConfigWire = Type.Object({
  temperature: Maybe(Type.Number({ minimum: 0 })),
  topP: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
  topK: Maybe(Type.Integer({ minimum: 1 })),
  candidateCount: Maybe(Type.Integer({ minimum: 1 })),
  maxOutputTokens: Maybe(Type.Integer({ minimum: 1 })),
  stopSequences: Maybe(Type.Array(Type.String(), { maxItems: 5 })),
  presencePenalty: Maybe(Penalty),
  frequencyPenalty: Maybe(Penalty),
  seed: Maybe(Type.Integer()),
  responseMimeType: Maybe(Type.Enum(['text/plain', 'application/json', 'text/x.enum'])),
  responseSchema: Maybe(AnyObject),
  responseJsonSchema: Maybe(AnyObject),
  responseLogprobs: Maybe(Type.Boolean()),
  logprobs: Maybe(Type.Integer({ minimum: 1, maximum: 20 })),
  responseModalities: Maybe(Type.Array(Type.Enum(['TEXT', 'IMAGE', 'AUDIO']))),
  audioTimestamp: Maybe(Type.Boolean()),
  thinkingConfig: Maybe(
    Type.Object({
      thinkingBudget: Maybe(Type.Integer({ minimum: -1 })),
      thinkingLevel: Maybe(Type.String()),
      includeThoughts: Maybe(Type.Boolean()),
    }),
  ),
  mediaResolution: Maybe(Type.Enum([...MEDIA_RESOLUTIONS])),
  speechConfig: Maybe(
    Type.Object({
      voiceConfig: Maybe(VoiceConfig),
      multiSpeakerVoiceConfig: Maybe(
        Type.Object({
          speakerVoiceConfigs: Type.Array(Type.Object({ speaker: Type.String(), voiceConfig: VoiceConfig })),
        }),
      ),
      languageCode: Maybe(Type.String()),
    }),
  ),
  routingConfig: Maybe(
    Type.Object({
      autoMode: Maybe(Type.Object({ modelRoutingPreference: Maybe(Type.String()) })),
      manualMode: Maybe(Type.Object({ modelName: Maybe(Type.String()) })),
    }),
  ),
  imageConfig: Maybe(
    Type.Object({
      aspectRatio: Maybe(Type.Enum(['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9', '21:9', '4:5', '5:4'])),
      imageSize: Maybe(Type.Enum(['1K', '2K', '4K'])),
      outputMimeType: Maybe(Type.String()),
      outputCompressionQuality: Maybe(Type.Number()),
      imageOutputOptions: Maybe(
        Type.Object({ mimeType: Maybe(Type.String()), compressionQuality: Maybe(Type.Number()) }),
      ),
    }),
  ),
  enableAffectiveDialog: Maybe(Type.Boolean()),
});

/** Numbers of 64 bits are text in the JSON of the format's own SDK. */
const Count = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]+$' })]);

export const SchemaWire = Type.Object({
  type: Maybe(Type.String()),
  format: Maybe(Type.String()),
  description: Maybe(Type.String()),
  title: Maybe(Type.String()),
  enum: Maybe(Type.Array(Type.String())),
  items: Maybe(AnyObject),
  properties: Maybe(Type.Record(Type.String(), AnyObject)),
  required: Maybe(Type.Array(Type.String())),
  propertyOrdering: Maybe(Type.Array(Type.String())),
  nullable: Maybe(Type.Boolean()),
  minimum: Maybe(Type.Number()),
  maximum: Maybe(Type.Number()),
  minItems: Maybe(Count),
  maxItems: Maybe(Count),
  minLength: Maybe(Count),
  maxLength: Maybe(Count),
  minProperties: Maybe(Count),
  maxProperties: Maybe(Count),
  pattern: Maybe(Type.String()),
  anyOf: Maybe(Type.Array(AnyObject)),
  oneOf: Maybe(Type.Array(AnyObject)),
});
