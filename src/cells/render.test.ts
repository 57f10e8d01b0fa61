import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { Cells } from './cells-file.ts'
import { readCells, readCellsFile } from './cells-file.ts'
import { haproxyFiles } from './haproxy.ts'
import { nginxFiles } from './nginx.ts'
import { entriesOf, mapCommands } from './running-maps.ts'

const example = 'deploy/cells/cells.json'
const sum = 'a'.repeat(64)
const link = '0189d9a2-1111-4222-8333-444455556666'

function read(file: object, lines: string[] = []): { cells: Cells; problems: string[] } {
  const problems: string[] = []
  const refuse = (one: string) => void problems.push(one)
  const cells = readCells(file as Record<string, unknown>, refuse, {
    linesOf: () => lines,
    listIn: () => [],
  })
  return { cells, problems }
}

describe('the file of cells', () => {
  it('is refused with everything that is wrong', () => {
    const { problems } = read({
      default: 'c9',
      listen: 'everywhere',
      tls: 'pay.pem',
      cells: [
        { name: 'C1', servers: ['10.0.0.1'] },
        { name: 'c2', servers: [] },
        { name: 'c2', servers: ['10.0.0.2:80'] },
        { name: 'c3', servers: ['10.0.0.2:80'] },
      ],
      moved: [
        { client: 'x', to: 'c2', keys: ['sk_live_secret'], links: [link, 'nothing'] },
        { client: 1, to: 'c8' },
      ],
      cell: [],
    })
    assert.equal(problems.length, 13, problems.join('\n'))
    const text = problems.join('\n')
    assert.match(text, /^cells\[0\]\.name must be a small letter/m)
    assert.match(text, /^10\.0\.0\.2:80 is the server of more than one cell$/m)
    assert.match(text, /^moved\[0\]\.links: 1 of 2 are not the id of a link$/m)
    // A key that stands there by mistake is not printed.
    assert.doesNotMatch(text, /sk_live_secret/)
  })

  it('is refused where lists and their items have another form', () => {
    assert.deepEqual(read({ cells: {}, moved: 'none' }).problems, [
      'cells must be a list',
      'cells must be a list with one cell at least',
      'default must be the name of a cell, not undefined',
      'moved must be a list',
    ])
    const { problems } = read({ cells: [null], moved: [null] })
    assert.match(problems.join('\n'), /^cells\[0\]\.name must be .*^moved\[0\]\.to must be /ms)
  })

  it('takes long lists from files beside it', () => {
    const moved = [{ client: 7, from: 'c1', to: 'c2', keys: 'keys.txt', links: [link] }]
    const names = ['c1', 'c2'].map((name, index) => ({ name, servers: [`10.0.0.${index}:80`] }))
    const { cells, problems } = read({ cells: names, moved }, [sum])
    assert.deepEqual(problems, [])
    assert.deepEqual([...cells.movedKeys], [[sum, 'c2']])
    assert.deepEqual([...cells.movedLinks], [[link, 'c2']])
    assert.deepEqual([...cells.movedClients], [['7', 'c2']])
    const { 'moved-keys.map': map = '' } = haproxyFiles(cells, '/etc/haproxy')
    assert.deepEqual(entriesOf(map), cells.movedKeys)
    assert.ok('key-digest.js' in nginxFiles(cells, '/etc/nginx/passerelle'))
  })

  it('follows a client through several moves, by lists that each cell has written', () => {
    const problems: string[] = []
    const lists: Record<string, object[]> = {
      'c1.json': [{ client: 7, from: 'c1', to: 'c2', keys: [sum], links: [] }],
      'c2.json': [{ client: 7, from: 'c2', to: 'c3', keys: [], links: [link] }],
    }
    const file = {
      cells: ['c1', 'c2', 'c3'].map((name, index) => ({ name, servers: [`10.0.0.${index}:80`] })),
      moved: Object.keys(lists),
    }
    const cells = readCells(file, (one) => void problems.push(one), {
      linesOf: () => [],
      listIn: (name) => lists[name],
    })
    assert.deepEqual(problems, [])
    assert.deepEqual(
      [cells.movedKeys, cells.movedLinks, cells.movedClients].map((map) => [...map.values()]),
      [['c3'], ['c3'], ['c3']],
    )
  })

  for (const [proxy, files, folder] of [
    ['haproxy', haproxyFiles, '/etc/haproxy'],
    ['nginx', nginxFiles, '/etc/nginx/passerelle'],
  ] as const)
    it(`makes what deploy/cells/${proxy} has`, async () => {
      for (const [name, text] of Object.entries(files(readCellsFile(example), folder)))
        assert.equal(text, await readFile(`deploy/cells/${proxy}/${name}`, 'utf8'), name)
    })
})

describe('the maps of a running HAProxy', () => {
  it('are told only what has changed', () => {
    const before = new Map([
      ['a', 'c1'],
      ['b', 'c1'],
      ['c', 'c1'],
    ])
    const after = new Map([
      ['a', 'c1'],
      ['b', 'c2'],
      ['d', 'c2'],
    ])
    assert.deepEqual(mapCommands('/m', before, after), [
      'set map /m b c2',
      'add map /m d c2',
      'del map /m c',
    ])
  })
})
