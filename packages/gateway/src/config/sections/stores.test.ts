import { describe, expect, test } from 'vitest';
import { loadConfig } from '../load.ts';

const load = (text: string, env: Readonly<Record<string, string>> = {}) => {
  const outcome = loadConfig({ text: `keys: []\n${text}`, env });
  if ('problems' in outcome) return { problems: outcome.problems.map(({ path, message }) => `${path} ${message}`) };
  return { database: outcome.config.database, redis: outcome.config.redis };
};

describe('database and redis', () => {
  test('are absent unless configured', () => {
    expect(load('')).toEqual({ database: undefined, redis: undefined });
  });

  test('resolve referenced URLs, and default `directUrl` to `url`', () => {
    const { database, redis } = load('database: { url: "env:DB" }\nredis: { url: "env:RD" }', {
      DB: 'postgres://u:p@db/t',
      RD: 'rediss://cache:6380',
    });
    expect(database).toMatchObject({ url: 'postgres://u:p@db/t', directUrl: 'postgres://u:p@db/t', migrate: true });
    expect(redis).toEqual({ url: 'rediss://cache:6380' });
    expect(load('database: { url: "postgres://pooler/t", directUrl: "postgresql://db/t" }').database).toMatchObject({
      url: 'postgres://pooler/t',
      directUrl: 'postgresql://db/t',
    });
  });

  test('refuse URLs of another scheme, without repeating them', () => {
    const { problems } = load('database: { url: "mysql://u:hunter2@db/t" }\nredis: { url: "http://cache" }');
    expect(problems).toEqual([
      'database.url must be a URL that starts with postgres:// or postgresql://',
      'redis.url must be a URL that starts with redis:// or rediss://',
    ]);
    expect(load('database: {}').problems).toHaveLength(1);
  });
});
