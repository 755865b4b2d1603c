// Shapes of the request: its members and their types. Rules about values are elsewhere.
import {
  anything,
  decimal,
  flag,
  integer,
  list,
  mapOf,
  object,
  type Shape,
  type ShapeMembers,
  text,
  word,
} from '../shape-check.ts';

const TYPES = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'];

const schema: Shape = (value, path, options) =>
  object(
    {},
    {
      type: word('TYPE_UNSPECIFIED', ...TYPES, ...TYPES.map((type) => type.toLowerCase())),
      format: text(),
      title: text(),
      description: text(),
      nullable: flag,
      enum: list(text()),
      maxItems: anything,
      minItems: anything,
      properties: mapOf(schema),
      required: list(text()),
      minProperties: anything,
      maxProperties: anything,
      minLength: anything,
      maxLength: anything,
      pattern: text(),
      example: anything,
      anyOf: list(schema),
      propertyOrdering: list(text()),
      default: anything,
      items: schema,
      minimum: decimal(),
      maximum: decimal(),
    },
  )(value, path, options);

const blob = object({}, { mimeType: text(), data: text(), displayName: text() });
const struct = mapOf(anything);

function partShape(isVertex: boolean): Shape {
  const id: ShapeMembers = { id: text() };
  return object(
    {},
    {
      text: text(),
      thought: flag,
      thoughtSignature: text(),
      inlineData: blob,
      fileData: object({}, { mimeType: text(), fileUri: text(), displayName: text() }),
      functionCall: object({}, { ...id, name: text(), args: struct }),
      functionResponse: object(
        {},
        {
          ...id,
          name: text(),
          response: struct,
          parts: list(object({}, { inlineData: blob, fileData: anything })),
          ...(isVertex ? {} : { willContinue: flag, scheduling: text() }),
        },
      ),
      toolCall: anything,
      toolResponse: anything,
      executableCode: object({}, { language: text(), code: text(), id: text() }),
      codeExecutionResult: object({}, { outcome: text(), output: text(), id: text() }),
      videoMetadata: object({}, { startOffset: text(), endOffset: text(), fps: decimal() }),
      mediaResolution: object({}, { level: text(), numTokens: integer() }),
      partMetadata: anything,
    },
  );
}

function toolShape(isVertex: boolean): Shape {
  return object(
    {},
    {
      functionDeclarations: list(
        object(
          {},
          {
            name: text(),
            description: text(),
            parameters: schema,
            parametersJsonSchema: anything,
            response: anything,
            responseJsonSchema: anything,
            ...(isVertex ? {} : { behavior: text() }),
          },
        ),
      ),
      googleSearch: anything,
      googleSearchRetrieval: anything,
      codeExecution: anything,
      urlContext: anything,
      googleMaps: anything,
      computerUse: anything,
      ...(isVertex
        ? { retrieval: anything, enterpriseWebSearch: anything }
        : { fileSearch: anything, mcpServers: anything }),
    },
  );
}

function configShape(isVertex: boolean): Shape {
  const thinking = {
    includeThoughts: flag,
    thinkingBudget: integer(),
    thinkingLevel: word(...['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'].flatMap((level) => [level, level.toLowerCase()])),
  };
  return object(
    {},
    {
      candidateCount: integer(),
      stopSequences: list(text()),
      maxOutputTokens: integer(),
      temperature: decimal(),
      topP: decimal(),
      topK: decimal(),
      seed: integer(),
      presencePenalty: decimal(),
      frequencyPenalty: decimal(),
      responseLogprobs: flag,
      logprobs: integer(),
      responseMimeType: text(),
      responseSchema: schema,
      responseJsonSchema: anything,
      responseModalities: list(word('TEXT', 'IMAGE', 'AUDIO', 'MODALITY_UNSPECIFIED')),
      speechConfig: anything,
      thinkingConfig: object({}, thinking),
      imageConfig: anything,
      mediaResolution: text(),
      ...(isVertex ? { audioTimestamp: flag, routingConfig: anything } : { enableEnhancedCivicAnswers: flag }),
    },
  );
}

function requestMembers(isVertex: boolean): ShapeMembers {
  const content = object({}, { role: text(), parts: list(partShape(isVertex)) });
  const calling = {
    mode: word('MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'),
    allowedFunctionNames: list(text()),
    ...(isVertex ? { streamFunctionCallArguments: flag } : {}),
  };
  return {
    contents: list(content),
    systemInstruction: content,
    tools: list(toolShape(isVertex)),
    toolConfig: object(
      {},
      {
        functionCallingConfig: object({}, calling),
        retrievalConfig: anything,
        includeServerSideToolInvocations: flag,
      },
    ),
    safetySettings: list(object({}, { category: text(), threshold: text(), ...(isVertex ? { method: text() } : {}) })),
    generationConfig: configShape(isVertex),
    cachedContent: text(),
    ...(isVertex
      ? { labels: mapOf(text()), modelArmorConfig: anything }
      : { model: text(), store: flag, serviceTier: text() }),
  };
}

const gemini = requestMembers(false);
const vertex = requestMembers(true);

export const generateShape = { google: object({}, gemini), vertex: object({}, vertex) } as const;

/** Vertex takes the parts of a request as separate members, the Gemini API as one. */
export const countShape = {
  google: object({}, { contents: gemini['contents'] ?? anything, generateContentRequest: object({}, gemini) }),
  vertex: object({}, { ...vertex, instances: anything, model: text() }),
} as const;
