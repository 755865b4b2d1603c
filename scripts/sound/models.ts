/** The models of this folder's host. */
import { HEARER } from './host.ts';

export const LISTENER = 'real/listener';
export const EAR = 'real/ear';
export const TALKER = 'real/talker';

const priced = (value: string, unit: string) => ({ audio: [{ value, unit, currency: 'USD' }] });
const PER_SECOND = priced('0.0001', 'perSecond');
const LISTENS = { inputModalities: ['audio'], outputModalities: ['transcription'] };

export const hostsOf = (url: string) => ({
  providers: {
    real: { dialect: 'openai-transcription', baseUrl: url },
    talking: { dialect: 'openai-speech', baseUrl: url },
  },
  models: [
    { id: LISTENER, ...LISTENS, endpoints: [{ provider: 'real', pricings: PER_SECOND }] },
    { id: EAR, ...LISTENS, endpoints: [{ provider: 'real', upstreamModel: HEARER, pricings: PER_SECOND }] },
    {
      id: TALKER,
      outputModalities: ['speech'],
      endpoints: [{ provider: 'talking', pricings: priced('0.00001', 'perCount') }],
    },
  ],
});
