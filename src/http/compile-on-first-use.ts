import writers from '@fastify/fast-json-stringify-compiler'
import type { ValidateFunction } from 'ajv'
import { Ajv } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { FastifyValidationResult } from 'fastify/types/schema.js'

/*
 * Most routes are not called in the first minutes of a process, and most errors of a route never.
 * Compiling the code for all of them was a fifth of a start: it is compiled when it is first used.
 */

type BuildWriters = ReturnType<typeof writers>
type Write = ReturnType<ReturnType<BuildWriters>>

/** Compiles the code that writes an answer when the first such answer is sent. */
export function answerWriters(): BuildWriters {
  const build = writers()
  return (schemas, options) => {
    const compile = build(schemas, options)
    return (route) => {
      let write: Write | undefined
      return (answer) => (write ??= compile(route))(answer)
    }
  }
}

// A request is checked as it came, and all that is wrong with it is told at once.
const options = { allErrors: true, verbose: true, addUsedSchema: false }

/** Compiles the check of a body, of parameters or of a query when the first of them comes. */
export function requestChecks(): FastifySchemaCompiler<object> {
  const ajv = new Ajv(options)
  return ({ schema }) => {
    let compiled: ValidateFunction | undefined
    const check: FastifyValidationResult = (value) => {
      compiled ??= ajv.compile(schema)
      const isValid = compiled(value)
      check.errors = compiled.errors ?? null
      return isValid
    }
    return check
  }
}
