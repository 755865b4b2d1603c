// `npm run services -- start|stop|status`: the checkout's own PostgreSQL and Redis.

import { runningServices, type Services, startServices, stopServices } from './services.ts';

const print = ({ databaseUrl, redisUrl }: Services): void => {
  console.log(`PostgreSQL: ${databaseUrl ?? 'not running'}`);
  console.log(`Redis:      ${redisUrl ?? 'not running'}`);
};

switch (process.argv[2]) {
  case 'start':
    print(await startServices());
    break;
  case 'stop':
    await stopServices();
    break;
  case 'status': {
    const services = runningServices();
    print(services);
    process.exitCode = services.databaseUrl !== undefined && services.redisUrl !== undefined ? 0 : 1;
    break;
  }
  default:
    console.error('usage: npm run services -- start|stop|status');
    process.exitCode = 2;
}
