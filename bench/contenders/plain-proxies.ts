// General-purpose proxies with no duty but to forward: nginx (Debian) and Envoy (PyPI). They show what forwarding itself
// costs in C and C++; neither of them authenticates, meters or logs here.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contender, plainTargets, type UpstreamPorts } from './contender.ts';

const IDLE_CONNECTIONS = 256;

export function nginxContender(
  workFolder: string,
  jsonPort: number,
  streamPort: number,
  upstream: UpstreamPorts,
): Contender {
  const folder = join(workFolder, 'nginx');
  mkdirSync(folder, { recursive: true });
  const server = (name: string, port: number, upstreamPort: number): string => `
  upstream ${name} { server 127.0.0.1:${upstreamPort}; keepalive ${IDLE_CONNECTIONS}; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://${name};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_request_buffering off;
    }
  }`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${join(folder, kind)};`,
  );
  const configuration = `daemon off;
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  client_max_body_size 64m;
  keepalive_requests 1000000000;
${temporary.join('\n')}${server('json', jsonPort, upstream.json)}${server('paced', streamPort, upstream.paced)}
}
`;
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration);
  return {
    name: 'nginx',
    command: ['nginx', '-p', folder, '-c', file],
    targets: plainTargets(jsonPort, streamPort),
  };
}

export function envoyContender(
  program: string,
  workFolder: string,
  jsonPort: number,
  streamPort: number,
  upstream: UpstreamPorts,
): Contender {
  const address = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });
  const router = {
    name: 'envoy.filters.http.router',
    typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
  };
  const listener = (cluster: string, port: number) => ({
    name: cluster,
    address: address(port),
    filter_chains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typed_config: {
              '@type':
                'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
              stat_prefix: cluster,
              http_filters: [router],
              route_config: {
                virtual_hosts: [
                  {
                    name: cluster,
                    domains: ['*'],
                    routes: [{ match: { prefix: '/' }, route: { cluster, timeout: '0s' } }],
                  },
                ],
              },
            },
          },
        ],
      },
    ],
  });
  const cluster = (name: string, port: number) => ({
    name,
    type: 'STATIC',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address: address(port) } }] }] },
  });
  const file = join(workFolder, 'envoy.json');
  const configuration = {
    static_resources: {
      listeners: [listener('json', jsonPort), listener('paced', streamPort)],
      clusters: [cluster('json', upstream.json), cluster('paced', upstream.paced)],
    },
  };
  writeFileSync(file, JSON.stringify(configuration, null, 2));
  return {
    name: 'envoy',
    command: [program, '-c', file, '--concurrency', '1', '--disable-hot-restart', '-l', 'warn'],
    targets: plainTargets(jsonPort, streamPort),
  };
}
