// From `alerts` in the file to settings with the password of the mail server resolved.

import type { Building } from './building.ts';
import type { AlertConfig } from './config.ts';
import type { AlertsData } from './schema-alerts.ts';

export const buildAlerts = ({ smtp, ...data }: AlertsData, building: Building): AlertConfig => {
  if (smtp === undefined) return data;
  const { user, password: given, host, port, security, from } = smtp;
  const password = given === undefined ? undefined : building.secret(given, ['alerts', 'smtp', 'password']);
  if (given !== undefined && user === undefined)
    building.report(['alerts', 'smtp', 'user'], 'is missing, and there is a password');
  const login = { ...(user !== undefined && { user }), ...(password !== undefined && { password }) };
  return { ...data, smtp: { host, port, security, from, ...login } };
};
