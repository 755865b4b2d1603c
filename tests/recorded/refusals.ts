/** Requests that vendors accepted and the gateway refuses: the rule of docs/reference/conformance.md or the decision, by the field in the error. */

export type RefusalRule = {
  readonly dialect: string;
  readonly problem: RegExp;
  /** A rule of docs/reference/conformance.md, or a decision record. */
  readonly rule: string;
  readonly reason: string;
};

export const REFUSAL_RULES: readonly RefusalRule[] = [
  {
    dialect: 'anthropic-messages',
    problem: /^'tools\.\d+\.type' asks for code execution/,
    rule: 'M-77',
    reason: 'code execution is not offered',
  },
  {
    dialect: 'anthropic-messages',
    problem: /^'tools\.\d+\.type' asks for what this service does not price/,
    rule: '0057',
    reason: 'another model answers, at its own price',
  },
  {
    dialect: 'anthropic-messages',
    problem: /^'container' changes what a request costs/,
    rule: '0057',
    reason: 'containers are charged by the hour',
  },
  {
    dialect: 'anthropic-messages',
    problem: /^'tools\.\d+\.type' names no tool/,
    rule: 'M-78',
    reason: 'built-in tools beyond the list of the specification',
  },
  {
    dialect: 'anthropic-messages',
    problem: /content\.\d+' must have one of the types text, image, search_result, document\.$/,
    rule: 'M-44',
    reason: 'references of tool search inside a result',
  },
  {
    dialect: 'anthropic-messages',
    problem: /content\.\d+' must have one of the types/,
    rule: 'M-31',
    reason: 'blocks of tools that are not offered',
  },
  {
    dialect: 'anthropic-messages',
    problem: /source\.type' must be one of/,
    rule: 'M-37',
    reason: 'files stored in the account of the vendor',
  },
  { dialect: 'anthropic-messages', problem: /^'top_k' must be/, rule: 'M-21', reason: 'a whole number from 0' },
  {
    dialect: 'anthropic-messages',
    problem: /^'messages\.\d+\.role' must be one of/,
    rule: 'M-09',
    reason: 'role system, as the specification says',
  },
  {
    dialect: 'google-generate',
    problem: /functionCallingConfig\.mode' must be one of/,
    rule: 'G-28',
    reason: 'words in small letters, which the format does not have',
  },
  {
    dialect: 'google-generate',
    problem: /^'tools' must be array/,
    rule: 'G-25',
    reason: 'a list, as the specification says',
  },
  {
    dialect: 'google-generate',
    problem: /functionCallingConfig\.mode' cannot be ANY without/,
    rule: 'G-28',
    reason: 'a function that must be called has to be declared',
  },
  {
    dialect: 'google-generate',
    problem: /must hold exactly one of/,
    rule: 'G-07',
    reason: 'a part that holds nothing but settings of video',
  },
  {
    dialect: 'google-generate',
    problem: /parameters\.type' must be string/,
    rule: '0059',
    reason: 'enum words as numbers, of an SDK that is no longer served',
  },
  {
    dialect: 'google-generate',
    problem: /responseJsonSchema' refers to itself/,
    rule: 'G-56',
    reason: 'a schema that refers to itself',
  },
  {
    dialect: 'google-generate',
    problem: /^'cachedContent' must match/,
    rule: 'G-23',
    reason: 'the long name, as the specification says',
  },
  {
    dialect: 'openai-chat',
    problem: /image_url' must be object/,
    rule: 'C-66',
    reason: 'an object with a URL, as the specification says',
  },
  {
    dialect: 'openai-chat',
    problem: /^'tools\[\d+\]\.type' must be one of/,
    rule: 'C-20',
    reason: 'tools a host runs itself',
  },
  {
    dialect: 'openai-chat',
    problem: /^'functions' is not accepted/,
    rule: 'C-51',
    reason: 'refused by the specification',
  },
  { dialect: 'openai-chat', problem: /^'audio' is not accepted/, rule: 'C-49', reason: 'refused by the specification' },
  {
    dialect: 'openai-chat',
    problem: /content\[\d+\]' must have one of the types text, refusal/,
    rule: 'C-71',
    reason: 'thoughts as parts of earlier answers',
  },
  {
    dialect: 'openai-chat',
    problem: /content\[\d+\]' must have one of the types/,
    rule: 'C-64',
    reason: 'parts of single hosts: video_url, document_url, file_url',
  },
  {
    dialect: 'openai-chat',
    problem: /content' must hold at least 1 items/,
    rule: 'C-70',
    reason: 'an empty list of parts',
  },
  {
    dialect: 'openai-chat',
    problem: /^'model' must be string/,
    rule: 'C-03',
    reason: 'deployments name the model in the path',
  },
  { dialect: 'openai-chat', problem: /^'n' must be/, rule: 'N-11', reason: 'one answer per call' },
  {
    dialect: 'openai-chat',
    problem: /file_id' names a file stored elsewhere/,
    rule: 'C-69',
    reason: 'nothing is stored here',
  },
  {
    dialect: 'openai-chat',
    problem: /^'preset' changes what a request costs/,
    rule: '0057',
    reason: 'settings of an account that the caller does not own',
  },
  {
    dialect: 'openai-responses',
    problem: /^'tools\[\d+\]\.type' is not offered/,
    rule: 'R-58',
    reason: 'hosted tools',
  },
  {
    dialect: 'openai-responses',
    problem: /^'(previous_response_id|conversation|prompt)' needs stored state/,
    rule: 'R-10',
    reason: 'nothing is stored here',
  },
  {
    dialect: 'openai-responses',
    problem: /^'background' needs stored state/,
    rule: 'R-11',
    reason: 'nothing is stored here',
  },
];
