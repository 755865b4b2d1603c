/** The response of `/readyz` on both listeners. */

export const readiness = (unreadyBecause: string | undefined): { readonly status: number; readonly text: string } =>
  unreadyBecause === undefined
    ? { status: 200, text: 'ready\n' }
    : { status: 503, text: `not ready: ${unreadyBecause}\n` };
