// The target of a request: `/{vendor}/v1/…` or `/{vendor}@{host}/v1/…`; `/_simulator/…` is the simulator's own.

export type RequestTarget =
  | { readonly kind: 'control'; readonly action: string }
  | {
      readonly kind: 'vendor';
      readonly vendor: string;
      readonly host: string;
      readonly path: string;
      readonly query: string;
    }
  | { readonly kind: 'nowhere' };

const CONTROL = /^\/_simulator\/([a-z]+)$/u;
const VENDOR = /^\/([a-z0-9-]+)(?:@([A-Za-z0-9._-]{1,64}))?(\/.*)$/u;

export function readTarget(url: string): RequestTarget {
  const [path = '', ...rest] = url.split('?');
  const control = CONTROL.exec(path);
  if (control !== null) return { kind: 'control', action: control[1] ?? '' };
  const vendor = VENDOR.exec(path);
  if (vendor === null) return { kind: 'nowhere' };
  return {
    kind: 'vendor',
    vendor: vendor[1] ?? '',
    host: vendor[2] ?? '',
    path: vendor[3] ?? '',
    query: rest.join('?'),
  };
}
