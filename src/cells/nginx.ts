import { cellNamePattern } from '../kit/cell-names.ts'
import type { Cell, Cells } from './cells-file.ts'
import { downAnswer, downPage, downSeconds, pagePattern } from './down-answers.ts'

/**
 * The configuration for nginx, to be included in its `http` block, by the names of the files in
 * `folder`. nginx itself cannot hash: keys of moved merchants need its module for JavaScript.
 */
export function nginxFiles(cells: Cells, folder: string): Record<string, string> {
  const hasMovedKeys = cells.movedKeys.size > 0
  return {
    'passerelle.conf': configuration(cells, folder, hasMovedKeys),
    'moved-keys.map': mapText(cells.movedKeys),
    'moved-links.map': mapText(cells.movedLinks),
    'moved-clients.map': mapText(cells.movedClients),
    ...(hasMovedKeys ? { 'key-digest.js': digestScript } : {}),
  }
}

const digestScript = `import crypto from 'crypto'

/** The SHA-256 of the caller's key, as moved-keys.map has it. */
function keyDigest(request) {
  const key = request.variables.passerelle_key
  return key === '' ? '' : crypto.createHash('sha256').update(key).digest('hex')
}

export default { keyDigest }
`

function mapText(map: Map<string, string>): string {
  return [...map].map(([from, to]) => `${from} ${to};\n`).join('')
}

/** A map with these lines; nothing for what they do not have. */
function mapOf(from: string, name: string, lines: string[], otherwise = '""'): string {
  const all = [`default ${otherwise};`, ...lines].map((line) => `  ${line}\n`).join('')
  return `map ${from} $passerelle_${name} {\n${all}}`
}

/** What a pattern with one group finds; capitals count only after `~`. */
function partOf(from: string, name: string, pattern: string, mark: '~' | '~*' = '~'): string {
  const group = `passerelle_${name}_part`
  const named = pattern.replace('(<', `(?<${group}>`)
  return mapOf(from, name, [`"${mark}${named}" $${group};`])
}

/** The first of two that is not empty. */
function firstOf(name: string, one: string, other: string): string {
  return mapOf(`$passerelle_${one}`, name, [`"" ${other};`], `$passerelle_${one}`)
}

/** What decides on the cell: each map looks only if those before have found none. */
function routing(cells: Cells, folder: string, hasMovedKeys: boolean): string[] {
  const known = cells.cells.map(({ name }) => `${name} ${name};`)
  const moved = (name: string, from: string) =>
    mapOf(from, `moved_${name}`, [`include ${folder}/moved-${name}s.map;`])
  const secret = `^sk_(?:live|sandbox)_(<${cellNamePattern})_[A-Za-z0-9_-]{43}$`
  const digest = [
    `js_import passerelle from ${folder}/key-digest.js;`,
    'js_set $passerelle_key_digest passerelle.keyDigest;',
  ]
  return [
    partOf('$http_authorization', 'header_key', '^bearer +(<[^ ]+)$', '~*'),
    partOf('$http_sec_websocket_protocol', 'socket_key', 'bearer\\.(<[^ ,]+)'),
    firstOf('key', 'header_key', '$passerelle_socket_key'),
    ...(hasMovedKeys ? digest : []),
    moved('key', hasMovedKeys ? '$passerelle_key_digest' : '""'),
    partOf('$passerelle_key', 'key_cell', secret),
    partOf('$uri', 'link', '/process/(<[0-9a-f-]{36})(?:/|$)'),
    moved('link', '$passerelle_link'),
    partOf('$uri', 'client', '^(?:/cells/[^/]+)?/callbacks/[^/]+/(<[0-9]{1,9})/'),
    moved('client', '$passerelle_client'),
    partOf('$uri', 'path_cell', `^/cells/(<${cellNamePattern})(?:/|$)`),
    mapOf('$uri', 'cookie_cell', ['"~^/dashboard" $cookie_passerelle_cell;']),
    ...['key_cell', 'path_cell', 'cookie_cell'].map((one) =>
      mapOf(`$passerelle_${one}`, `known_${one}`, known),
    ),
    firstOf('by_key', 'moved_key', '$passerelle_known_key_cell'),
    firstOf('by_link', 'by_key', '$passerelle_moved_link'),
    firstOf('by_client', 'by_link', '$passerelle_moved_client'),
    firstOf('by_path', 'by_client', '$passerelle_known_path_cell'),
    firstOf('by_cookie', 'by_path', '$passerelle_known_cookie_cell'),
    firstOf('cell', 'by_cookie', cells.defaultCell),
    mapOf('$uri', 'down', [`"~${pagePattern}" ${downPath('page')};`], downPath('interface')),
    mapOf('$http_upgrade', 'connection', ['"" "";'], 'upgrade'),
  ]
}

function configuration(cells: Cells, folder: string, hasMovedKeys: boolean): string {
  const { listen, tls } = cells
  const certificate =
    tls === null ? '' : `\n  ssl_certificate ${tls};\n  ssl_certificate_key ${tls};`
  return `# Written by \`passerelle cells render --for nginx\`: change the file of cells instead.
# Include it in the http block. Hash sizes suit long keys of maps.
map_hash_bucket_size 256;
map_hash_max_size 65536;
variables_hash_max_size 2048;

${routing(cells, folder, hasMovedKeys).join('\n')}

${cells.cells.map(upstream).join('\n')}
server {
  listen ${listen.replace(/^\*:/, '')}${tls === null ? '' : ' ssl http2'};${certificate}
  # The gateway has limits of its own.
  client_max_body_size 0;

  location / {
    proxy_pass http://cell_$passerelle_cell;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    # The gateway believes these from the addresses in its TRUSTED_PROXIES.
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $passerelle_connection;
    # Streams are passed on as they come, and send something every 15 s.
    proxy_buffering off;
    proxy_request_buffering off;
    proxy_connect_timeout 2s;
    proxy_read_timeout 75s;
    # A POST that may have reached a server is never sent again: that would need non_idempotent.
    proxy_next_upstream error timeout;
    error_page 502 503 504 = $passerelle_down;
  }
${downLocation('interface', 'application/json', downAnswer)}
${downLocation('page', 'text/html', downPage)}
}
`
}

function downPath(kind: string): string {
  return `/passerelle-down/${kind}`
}

/** What is answered when no server of a cell does. */
function downLocation(kind: string, type: string, text: string): string {
  return `  location = ${downPath(kind)} {
    internal;
    default_type "${type}; charset=utf-8";
    add_header Retry-After ${downSeconds} always;
    add_header Cache-Control no-store always;
    add_header X-Cell $passerelle_cell always;
    return 503 '${text}';
  }`
}

function upstream({ name, servers }: Cell): string {
  const lines = servers.map((one) => `  server ${one} max_fails=1 fail_timeout=2s;`)
  return `upstream cell_${name} {\n  least_conn;\n${lines.join('\n')}\n  keepalive 64;\n}\n`
}
