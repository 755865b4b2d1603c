// fal: queued media jobs, one path per model.

import type { Provider } from './provider.ts';
import { key } from './signers/headers.ts';

export const fal: Provider = {
  id: 'fal',
  displayName: 'fal',
  offers: {
    'fal-queue': {
      baseUrl: 'https://queue.fal.run',
      path: '/{model}',
      actionPaths: { edit: '/{model}/edit', words: '/{model}/text-to-image' },
      sign: key,
      quirks: {
        wordsApart: ['fal-ai/flux-pro/kontext', 'fal-ai/bytedance/seedream/'],
        onePicture: ['fal-ai/flux-pro/kontext'],
      },
    },
    'fal-video': { baseUrl: 'https://queue.fal.run', path: '/{model}', sign: key },
  },
};
