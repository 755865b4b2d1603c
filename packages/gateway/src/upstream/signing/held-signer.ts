/** Signs with a secret of a store: whichever is its value now. */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { CredentialState, RequestSigner } from '../../kernel/upstream.ts';

/** A secret of a store; what it does is said there. */
export type HeldValue = {
  get(): string | Promise<string>;
  refused(value: string): boolean;
  readonly state: CredentialState;
};

const UNFIT: Fault = {
  kind: 'upstream-broken',
  message: 'The gateway’s credential for the upstream provider does not have the form it needs.',
};

type Headers = readonly string[];

/** `make`: a signer for one value; undefined if the value does not have the form the host needs. */
export function heldSigner(
  held: HeldValue,
  make: (secret: string) => RequestSigner | undefined,
  ignoresBody: boolean,
): RequestSigner {
  let inner: { readonly value: string; readonly signer: RequestSigner } | undefined;
  let last: Headers | undefined;
  /** Whose headers they are, as long as a request has them. */
  const madeWith = new WeakMap<Headers, { readonly value: string; readonly signer: RequestSigner }>();

  const signWith = (value: string, request: Parameters<RequestSigner['sign']>[0]): Headers | Promise<Headers> => {
    if (inner?.value !== value) {
      const signer = make(value);
      if (signer === undefined) throw new GatewayError(UNFIT);
      inner = { value, signer };
    }
    const by = inner;
    const headers = by.signer.sign(request);
    return headers instanceof Promise ? headers.then((made) => noted(made, by)) : noted(headers, by);
  };
  const noted = (headers: Headers, by: NonNullable<typeof inner>): Headers => {
    if (headers !== last) {
      madeWith.set(headers, by);
      last = headers;
    }
    return headers;
  };
  return {
    sign: (request) => {
      const value = held.get();
      return typeof value === 'string' ? signWith(value, request) : value.then((one) => signWith(one, request));
    },
    refused: (headers) => {
      const by = madeWith.get(headers);
      return by !== undefined && (by.signer.refused?.(headers) === true || held.refused(by.value));
    },
    state: () => held.state,
    ...(ignoresBody && { ignoresBody }),
  };
}
