// The members of a generateContent request and their types; rules about values are in the checks. Vertex takes the parts
// of a request to count as separate members, the Gemini API as one.
import { Shapes } from '../shape-check.ts';

const shapesFor = (isVertex: boolean): Shapes =>
  new Shapes(`
  Schema = {
    type?: 'TYPE_UNSPECIFIED' | 'STRING' | 'NUMBER' | 'INTEGER' | 'BOOLEAN' | 'ARRAY' | 'OBJECT' | 'NULL'
      | 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null',
    format? title? description?: text, nullable?: flag, enum?: [text], maxItems?, minItems?, properties?: { *: Schema },
    required?: [text], minProperties?, maxProperties?, minLength?, maxLength?, pattern?: text, example?,
    anyOf?: [Schema], propertyOrdering?: [text], default?, items?: Schema, minimum? maximum?: num
  }
  Blob = { mimeType? data? displayName?: text }
  Part = {
    text?: text, thought?: flag, thoughtSignature?: text, inlineData?: Blob,
    fileData?: { mimeType? fileUri? displayName?: text },
    functionCall?: { id? name?: text, args?: { *: any } },
    functionResponse?: {
      id? name?: text, response?: { *: any }, parts?: [{ inlineData?: Blob, fileData? }],
      ${isVertex ? '' : 'willContinue?: flag, scheduling?: text'}
    },
    toolCall?, toolResponse?,
    executableCode?: { language? code? id?: text }, codeExecutionResult?: { outcome? output? id?: text },
    videoMetadata?: { startOffset? endOffset?: text, fps?: num }, mediaResolution?: { level?: text, numTokens?: int },
    partMetadata?
  }
  Content = { role?: text, parts?: [Part] }
  Tool = {
    functionDeclarations?: [{
      name? description?: text, parameters?: Schema, parametersJsonSchema?, response?, responseJsonSchema?,
      ${isVertex ? '' : 'behavior?: text'}
    }],
    googleSearch?, googleSearchRetrieval?, codeExecution?, urlContext?, googleMaps?, computerUse?,
    ${isVertex ? 'retrieval?, enterpriseWebSearch?' : 'fileSearch?, mcpServers?'}
  }
  Config = {
    candidateCount?: int, stopSequences?: [text], maxOutputTokens?: int, temperature? topP? topK?: num, seed?: int,
    presencePenalty? frequencyPenalty?: num, responseLogprobs?: flag, logprobs?: int, responseMimeType?: text,
    responseSchema?: Schema, responseJsonSchema?,
    responseModalities?: ['TEXT' | 'IMAGE' | 'AUDIO' | 'MODALITY_UNSPECIFIED'], speechConfig?,
    thinkingConfig?: {
      includeThoughts?: flag, thinkingBudget?: int,
      thinkingLevel?: 'MINIMAL' | 'minimal' | 'LOW' | 'low' | 'MEDIUM' | 'medium' | 'HIGH' | 'high'
    },
    imageConfig?, mediaResolution?: text,
    ${isVertex ? 'audioTimestamp?: flag, routingConfig?' : 'enableEnhancedCivicAnswers?: flag'}
  }
  Generate = {
    contents?: [Content], systemInstruction?: Content, tools?: [Tool],
    toolConfig?: {
      functionCallingConfig?: {
        mode?: 'MODE_UNSPECIFIED' | 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED', allowedFunctionNames?: [text],
        ${isVertex ? 'streamFunctionCallArguments?: flag' : ''}
      },
      retrievalConfig?, includeServerSideToolInvocations?: flag
    },
    safetySettings?: [{ category? threshold?: text, ${isVertex ? 'method?: text' : ''} }],
    generationConfig?: Config, cachedContent?: text,
    ${isVertex ? 'labels?: { *: text }, modelArmorConfig?' : 'model?: text, store?: flag, serviceTier?: text'}
  }
  Count = {
    ${isVertex ? '...Generate, instances?, model?: text' : 'contents?: [Content], generateContentRequest?: Generate'}
  }
`);

export const generateShapes = { google: shapesFor(false), vertex: shapesFor(true) } as const;
