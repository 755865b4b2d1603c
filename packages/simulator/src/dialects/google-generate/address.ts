// The two forms of address: the Gemini API's `/v1beta/models/M:action` and Vertex's path below a project.
import { decodeSegment } from '../judgement.ts';

type Action = 'generateContent' | 'streamGenerateContent' | 'countTokens';

export type GenerateAddress =
  | { readonly kind: 'call'; readonly model: string; readonly action: Action; readonly resource: string }
  | { readonly kind: 'models' }
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'nowhere' };

const ACTIONS: readonly Action[] = ['generateContent', 'streamGenerateContent', 'countTokens'];
const GEMINI = /^\/(v1|v1beta)\/models(?:\/(.+))?$/u;
const VERTEX = /^\/(?:v1|v1beta1)\/((?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/models)(?:\/(.+))?$/u;

export function readAddress(vendor: string, path: string): GenerateAddress {
  const match = (vendor === 'vertex' ? VERTEX : GEMINI).exec(path);
  if (match === null) return { kind: 'nowhere' };
  const rest = decodeSegment(match[2] ?? '');
  if (rest === '') return { kind: 'models' };
  const colon = rest.lastIndexOf(':');
  if (colon < 0) return { kind: 'model', model: rest };
  const model = rest.slice(0, colon);
  const action = ACTIONS.find((one) => one === rest.slice(colon + 1));
  if (action === undefined) return { kind: 'nowhere' };
  return { kind: 'call', model, action, resource: vendor === 'vertex' ? `${match[1]}/${model}` : `models/${model}` };
}
