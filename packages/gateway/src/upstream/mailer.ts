/** Mail over SMTP to the configured server. The library is loaded with the first message. */
import { trusting } from './trust.ts';

export type SmtpSettings = {
  readonly host: string;
  readonly port: number;
  /** `starttls` fails if the server does not offer it; `none` is for servers on the same machine or network. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly user?: string;
  /** Never log it. */
  readonly password?: string;
  readonly from: string;
};

export type Mail = { readonly to: readonly string[]; readonly subject: string; readonly text: string };

/** Resolves when the server has accepted the mail for every recipient. */
export async function sendMail(
  { host, port, security, user, password, from }: SmtpSettings,
  { to, subject, text }: Mail,
  messageId: string,
  timeoutMs: number,
  ca: readonly string[],
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    tls: trusting(ca),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { rejected } = await transport.sendMail({
      from,
      to: [...to],
      subject,
      text,
      // The same for every attempt, so that a mailbox can recognise a duplicate.
      messageId: `<${messageId}@trivium>`,
    });
    if (rejected.length > 0) throw new Error('the mail server refused a recipient');
  } finally {
    transport.close();
  }
}
