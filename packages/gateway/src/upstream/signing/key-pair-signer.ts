// A JWT signed with a secret key and issued by its access key, renewed before it expires.

import { createSecretKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import type { RequestSigner } from '../../kernel/upstream.ts';
import type { KeyPair } from '../../models/providers/signers/credentials.ts';

const LIFETIME_S = 1800;
/** Hosts whose clocks are a little behind ours must accept it. */
const EARLIER_S = 5;
const RENEW_BEFORE_S = 300;

export const keyPairSigner = ({ accessKey, secretKey }: KeyPair, clock: Clock): RequestSigner => {
  const key = createSecretKey(Buffer.from(secretKey, 'utf8'));
  let renewAtS = 0;
  let headers: Promise<readonly string[]> | undefined;
  const make = async (nowS: number): Promise<readonly string[]> => {
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(accessKey)
      .setNotBefore(nowS - EARLIER_S)
      .setExpirationTime(nowS + LIFETIME_S)
      .sign(key);
    return ['authorization', `Bearer ${token}`];
  };
  return {
    sign: () => {
      const nowS = Math.floor(clock.nowMs() / 1000);
      if (headers === undefined || nowS >= renewAtS) {
        renewAtS = nowS + LIFETIME_S - RENEW_BEFORE_S;
        headers = make(nowS);
      }
      return headers;
    },
  };
};
