/** A component that is loaded when it is first drawn, by its name: `lazy` of React knows only default exports. */
import { type ComponentType, lazy } from 'react';

export const lazyPart = <M, N extends keyof M>(load: () => Promise<M>, name: N): M[N] =>
  lazy(async () => ({ default: (await load())[name] as ComponentType })) as M[N];
