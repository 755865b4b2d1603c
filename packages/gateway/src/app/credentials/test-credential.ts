/**
 * Tests whether a host accepts a credential: with a request to the host itself, over the same connections as every
 * other call; part of the composition root.
 */
import { type Fault, faultOf, GatewayError } from '@trivium/protocol/canonical';
import { replyErrorOf } from '../../calls/exchange/upstream-error.ts';
import { type Config, ownProviders, type ProviderSettings } from '../../config/config.ts';
import { internalHostsOf, secretsOf } from '../../config/known-secrets.ts';
import { withStoredCredentials } from '../../config/stored.ts';
import type { CredentialVerdict } from '../../control/providers/ports.ts';
import { listPathOf, missingVariables, offerUrl } from '../../models/providers/offer-url.ts';
import type { Offer } from '../../models/providers/provider.ts';
import { providerSet } from '../../models/providers/provider-set.ts';
import { isScheme, signingWith } from '../../models/providers/signers/schemes.ts';
import { isStoreReference } from '../../models/providers/signers/store-references.ts';
import { type Redact, upstreamRedactor } from '../../telemetry/redact.ts';
import { askStatus, type StatusReply } from '../../upstream/ask-status.ts';
import { Signers, type SigningPorts } from '../../upstream/signing/signers.ts';

const WAIT_MS = 10_000;

/** As if the database had this credential and the file none. */
function withGiven(config: Config, id: string, credential: string): Config {
  const { [id]: named, ...others } = config.providers;
  const { credential: _used, ...rest } = named ?? {};
  const providers = named === undefined ? others : { ...others, [id]: rest as ProviderSettings };
  return withStoredCredentials({ ...config, providers }, new Map([[id, credential]])).config;
}

/** The first offer whose list of models can be requested. */
function listOf(
  config: Config,
  id: string,
): { readonly offer: Offer; readonly settings: ProviderSettings } | undefined {
  const settings = config.providers[id];
  const offers = Object.values(providerSet(ownProviders(config)).find(id)?.offers ?? {});
  const found = offers.flatMap((offer) => {
    const path = listPathOf(offer);
    return path === undefined ? [] : [{ ...offer, path }];
  });
  const offer = settings && found.find((one) => missingVariables(one, settings).length === 0);
  return offer === undefined || settings === undefined ? undefined : { offer, settings };
}

const REFUSALS: ReadonlySet<number> = new Set([401, 403]);

const NONE: CredentialVerdict = { verdict: 'none', status: null, error: null };
const UNFIT: Fault = { kind: 'unauthenticated', message: 'The credential does not have the form this provider needs.' };
const DECLINED: Fault = { kind: 'upstream-broken', message: 'The provider gave no reason.' };

function verdictOf(reply: StatusReply, redact: Redact): CredentialVerdict {
  const { status, failure } = reply;
  if (status >= 200 && status < 300) return { verdict: 'works', status, error: null };
  const error = replyErrorOf(reply, failure?.fault ?? DECLINED, failure?.cause, redact);
  if (failure !== undefined || status === 0) return { verdict: 'unreachable', status: null, error };
  return { verdict: REFUSALS.has(status) ? 'refused' : 'unclear', status, error };
}

/** The provider's own reason why no token was issued. */
const unsigned = (error: unknown, redact: Redact): CredentialVerdict => ({
  verdict: 'refused',
  status: null,
  error: replyErrorOf({ status: 0, header: () => undefined, refusal: '' }, faultOf(error), error, redact),
});

/** `values`: of the stores that are asked for secrets. */
type TestPorts = SigningPorts & { readonly values?: () => readonly string[] };

export const credentialTest =
  (config: () => Config, ports: TestPorts) =>
  async (id: string, given: string | undefined): Promise<CredentialVerdict> => {
    const tried = given === undefined ? config() : withGiven(config(), id, given);
    const list = listOf(tried, id);
    const credential = list?.settings.credential;
    if (credential === undefined) return NONE;
    const redact = upstreamRedactor(
      [...secretsOf(tried), ...(ports.values?.() ?? []), credential],
      internalHostsOf(tried),
    );
    const { offer, settings } = list as NonNullable<typeof list>;
    const url = new URL(offerUrl(offer, settings, { upstreamModel: '', stream: false }));
    const plain = ['accept', 'application/json', 'accept-encoding', 'identity', ...(offer.headers ?? []).flat()];
    const request = {
      origin: url.origin,
      path: url.pathname + url.search,
      headers: plain,
      body: '',
      method: 'GET',
    } as const;
    const signing = signingWith(offer, credential);
    if (!isScheme(signing) && !isStoreReference(credential)) {
      const headers = [...plain, ...signing(credential).flat()];
      return verdictOf(await askStatus(ports.upstream, { ...request, headers, waitMs: WAIT_MS }), redact);
    }
    // With new signers: a token that another one has cached would prove nothing.
    const signer = new Signers(ports).next()(signing, { credential, variables: settings.variables });
    if (signer === undefined) return unsigned(new GatewayError(UNFIT), redact);
    try {
      const headers = [...plain, ...(await signer.sign(request))];
      return verdictOf(await askStatus(ports.upstream, { ...request, headers, waitMs: WAIT_MS }), redact);
    } catch (error) {
      return unsigned(error, redact);
    }
  };
