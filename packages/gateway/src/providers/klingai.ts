// Kling AI. Its video offer (kling-video) needs the HS256 JWT signer and is absent until that is built.

import type { Provider } from './provider.ts';

export const klingai: Provider = {
  id: 'klingai',
  displayName: 'Kling AI',
  home: true,
  offers: {},
};
