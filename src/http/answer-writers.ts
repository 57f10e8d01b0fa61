import compilers from '@fastify/fast-json-stringify-compiler'

type Build = ReturnType<typeof compilers>
type Write = ReturnType<ReturnType<Build>>

/**
 * Compiles the code that writes an answer when the first such answer is sent. Most errors of most
 * routes are never sent, and compiling the code for all of them was a tenth of a start.
 */
export function compileOnFirstUse(): Build {
  const build = compilers()
  return (schemas, options) => {
    const compile = build(schemas, options)
    return (route) => {
      let write: Write | undefined
      return (answer) => (write ??= compile(route))(answer)
    }
  }
}
