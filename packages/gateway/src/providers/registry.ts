// The hosts this build ships, one line each. `provider-set.ts` makes a checked set of them.

export { alibaba } from './alibaba.ts';
export { amazonBedrock } from './amazon-bedrock.ts';
export { anthropic } from './anthropic.ts';
export { azure } from './azure.ts';
export { bfl } from './bfl.ts';
export { byteplus } from './byteplus.ts';
export { cerebras } from './cerebras.ts';
export { deepinfra } from './deepinfra.ts';
export { deepseek } from './deepseek.ts';
export { fal } from './fal.ts';
export { fireworks } from './fireworks.ts';
export { google } from './google.ts';
export { googleVertex } from './google-vertex.ts';
export { groq } from './groq.ts';
export { klingai } from './klingai.ts';
export { meta } from './meta.ts';
export { minimax } from './minimax.ts';
export { mistral } from './mistral.ts';
export { moonshotai } from './moonshotai.ts';
export { openai } from './openai.ts';
export { siliconflow } from './siliconflow.ts';
export { tencent } from './tencent.ts';
export { together } from './together.ts';
export { volcengine } from './volcengine.ts';
export { xai } from './xai.ts';
export { zai } from './zai.ts';
