/** A new secret, with how it is used. */

import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Reveal } from '../../parts/form/reveal.tsx';
import { useMe } from '../../state/session.ts';
import { UseKey } from './use-key.tsx';

export type RevealKeyProps = {
  readonly made: Schemas['KeyWithSecret'] | undefined;
  readonly onClose: () => void;
};

export function RevealKey({ made, onClose }: RevealKeyProps) {
  const { gateway } = useMe();
  const hint = gateway.isConfigured
    ? undefined
    : t('Address of the listener. Set listen.publicUrl to the one callers use.');
  return (
    <Reveal title={t('Secret of {name}', { name: made?.key.name ?? '' })} secret={made?.secret} onClose={onClose}>
      <UseKey url={gateway.url} secret={made?.secret ?? ''} hint={hint} />
    </Reveal>
  );
}
