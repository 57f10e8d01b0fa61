import type { Description } from '../openapi/compare.ts'
import { writeBruno } from './bruno.ts'
import { writePostman } from './postman.ts'
import { collectRequests } from './requests.ts'

/** The files of the folder `collections`, by their paths in it. */
export function writeCollections(description: Description): Map<string, string> {
  const requests = collectRequests(description)
  const bruno = [...writeBruno(requests)].map(([path, text]) => [`bruno/${path}`, text] as const)
  return new Map([['postman.json', writePostman(requests)], ...bruno])
}
