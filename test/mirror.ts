import { globSync, readFileSync } from 'node:fs'

const entry = /^(?:URIs: *|deb +(?:\[.*\] *)?)(https?:\S+\/debian)\/?\s/m

/** Where this machine gets Debian's packages; undefined: from nowhere. */
export function findMirror(): string | undefined {
  return globSync('/etc/apt/{sources.list,sources.list.d/*.{list,sources}}')
    .map((path) => entry.exec(readFileSync(path, 'utf8'))?.[1])
    .find((mirror) => mirror !== undefined)
}
