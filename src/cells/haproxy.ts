import { cellNamePattern } from '../kit/cell-names.ts'
import type { Cell, Cells } from './cells-file.ts'
import { downAnswer, downPage, downSeconds, pagePattern } from './down-answers.ts'

/** The maps that can be changed while HAProxy runs. */
export const mapNames = ['moved-keys.map', 'moved-links.map', 'moved-clients.map'] as const

/** The configuration and maps for HAProxy, by the names of their files in `folder`. */
export function haproxyFiles(cells: Cells, folder: string): Record<string, string> {
  const { movedKeys, movedLinks, movedClients } = cells
  return {
    'haproxy.cfg': configuration(cells, folder),
    'cells.map': mapText(new Map(cells.cells.map(({ name }) => [name, name]))),
    'moved-keys.map': mapText(movedKeys),
    'moved-links.map': mapText(movedLinks),
    'moved-clients.map': mapText(movedClients),
    'down-interface.txt': downAnswer,
    'down-page.txt': downPage,
  }
}

function mapText(map: Map<string, string>): string {
  return [...map].map(([from, to]) => `${from} ${to}\n`).join('')
}

function configuration({ listen, tls, defaultCell, cells }: Cells, folder: string): string {
  const bind = tls === null ? listen : `${listen} ssl crt ${tls} alpn h2,http/1.1`
  return `# Written by \`passerelle cells render --for haproxy\`: change the file of cells instead.
global
  stats socket ${folder}/haproxy.sock mode 600 level admin

defaults
  mode http
  timeout connect 2s
  timeout http-request 10s
  timeout http-keep-alive 60s
  timeout client 75s
  # Longer than the gateway takes for any answer; streams send something every 15 s.
  timeout server 75s
  # WebSockets.
  timeout tunnel 1h
  # Only what provably reached no server is sent again.
  retries 2
  retry-on conn-failure
  option redispatch 1

frontend passerelle
  bind ${bind}
  # The gateway believes these from the addresses in its TRUSTED_PROXIES.
  http-request set-header X-Forwarded-For %[src]
  http-request set-header X-Forwarded-Proto %[ssl_fc,iif(https,http)]

  # The key: of the header, or of the subprotocol that a browser's WebSocket has instead.
${ruleLines(folder)}
  http-request set-var(txn.cell) str(${defaultCell}) unless { var(txn.cell) -m found }

  acl is_page path_reg ${pagePattern}
  use_backend pages_%[var(txn.cell)] if is_page
  use_backend cell_%[var(txn.cell)]

${cells.map(backends(folder)).join('\n')}`
}

/** What decides on the cell, in the order of the rules: the first that finds one counts. */
function ruleLines(folder: string): string {
  const secret = `^sk_(live|sandbox)_(${cellNamePattern})_[A-Za-z0-9_-]{43}$`
  const callback = '^(/cells/[^/]+)?/callbacks/[^/]+/([0-9]{1,9})/.*$'
  const map = (name: string) => `map(${folder}/${name}.map)`
  const rules: [sample: string, condition?: string][] = [
    [`var(txn.key),sha2(256),hex,lower,${map('moved-keys')}`],
    [`var(txn.key),${part(secret, 2)},${map('cells')}`],
    [`path,${part('^.*/process/([0-9a-f-]{36})(/.*)?$', 1)},${map('moved-links')}`],
    [`path,${part(callback, 2)},${map('moved-clients')}`],
    [`path,${part(`^/cells/(${cellNamePattern})(/.*)?$`, 1)},${map('cells')}`],
    [`req.cook(passerelle_cell),${map('cells')}`, '{ path_beg /dashboard }'],
  ]
  const isUnknown = '!{ var(txn.cell) -m found }'
  return [
    `  http-request set-var(txn.key) 'req.fhdr(authorization),regsub("^bearer +","",i)'`,
    `  http-request set-var(txn.key) 'req.fhdr(sec-websocket-protocol),` +
      `${part('^.*bearer[.]([^ ,]+).*$', 1)}' unless { var(txn.key) -m found }`,
    ...rules.map(([sample, ...conditions]) => {
      const only = [isUnknown, ...conditions].join(' ')
      return `  http-request set-var(txn.cell) '${sample}' if ${only}`
    }),
  ].join('\n')
}

/** A converter that leaves one group of a pattern, and a text that does not match as it is. */
function part(pattern: string, group: number): string {
  return `regsub("${pattern}","\\${group}")`
}

/** Two backends of each cell with the same servers: their answers when all are down differ. */
function backends(folder: string) {
  return ({ name, servers }: Cell): string => {
    const lines = (more: string) =>
      servers.map((one, index) =>
        `  server s${index + 1} ${one}${more}`.replace(/%/g, String(index + 1)),
      )
    const down = (file: string, type: string) =>
      [502, 503, 504].map(
        (status) =>
          `  http-error status ${status} content-type "${type}; charset=utf-8" ` +
          `file ${folder}/${file} hdr Retry-After ${downSeconds} hdr Cache-Control no-store ` +
          `hdr X-Cell ${name}`,
      )
    return `backend cell_${name}
  balance leastconn
  # A server of another cell is not taken for one of this.
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host ${name}
  http-check expect string '"status":"ready","cell":"${name}"'
  default-server check inter 1s fall 2 rise 1
${[...lines(''), ...down('down-interface.txt', 'application/json')].join('\n')}

backend pages_${name}
  balance leastconn
${[...lines(` track cell_${name}/s%`), ...down('down-page.txt', 'text/html')].join('\n')}
`
  }
}
