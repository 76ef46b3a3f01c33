import type { Socket } from 'node:net'

/**
 * Gives the network these parts in one write. `taken` is called when it has taken the last, or
 * never will.
 */
export function writeAtOnce(
  socket: Socket,
  parts: readonly Buffer[],
  taken?: (error?: Error | null) => void,
): void {
  const last = parts.length - 1
  if (last > 0) socket.cork()
  parts.forEach((part, i) => {
    socket.write(part, i === last ? taken : undefined)
  })
  if (last > 0) socket.uncork()
}
