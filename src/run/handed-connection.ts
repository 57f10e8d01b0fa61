/*
 * WORKAROUND. Closes the connection that Node's cluster module was handing to a child that died.
 *
 * Why: the round-robin scheduler of node:cluster accepts each connection in the supervisor and
 * sends it to a child. Of one that was sent and not yet acknowledged when the child dies, Node
 * keeps no reference, and its client would wait for ever.
 * Gain: round robin spreads 64 connections over four processes as 16 each; a listening socket that
 * all children share spread them as 1, 4, 29 and 30 (docs/decisions/0028).
 * Must never: touch a message without a handle, or more than the one handle that was sent last.
 * Tested by: `supervisor.slow.test.ts`, which stops the children, connects, and kills them.
 */
import type { Worker } from 'node:cluster'

/** Remembers the last connection sent to a child; the returned function closes it. */
export function closeHandedConnection({ process: child }: Worker): () => void {
  const send = child.send.bind(child) as (...parameters: unknown[]) => boolean
  let handed: { close?(): void } | undefined
  child.send = (...parameters: unknown[]) => {
    // One at a time: the next is sent when this one was acknowledged.
    const [, handle] = parameters
    if (handle !== undefined) handed = handle as typeof handed
    return send(...parameters)
  }
  return () => handed?.close?.()
}
