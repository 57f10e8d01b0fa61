#!/usr/bin/env node
// For container engines: exits with 0 while the gateway on this machine takes requests.
import { get } from 'node:http'

const request = get(
  { host: '127.0.0.1', port: process.env.PORT ?? 8080, path: '/readyz', timeout: 2500 },
  (answer) => {
    process.exitCode = answer.statusCode === 200 ? 0 : 1
    answer.resume()
  },
)
request.on('timeout', () => request.destroy(new Error('no answer')))
request.on('error', (problem) => {
  console.error(`passerelle: ${problem.message}`)
  process.exitCode = 1
})
