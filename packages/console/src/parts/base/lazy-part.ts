/** A component that is loaded when it is first drawn, by its name: `lazy` of React knows only default exports. */
import { type ComponentType, lazy } from 'react';

export const lazyPart = <N extends string, P>(
  load: () => Promise<{ readonly [K in N]: ComponentType<P> }>,
  name: N,
): ComponentType<P> => lazy(async () => ({ default: (await load())[name] })) as unknown as ComponentType<P>;
