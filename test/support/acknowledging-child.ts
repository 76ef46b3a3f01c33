import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Runs a program that prints a line for each thing it acknowledges, and kills it (SIGKILL) once it
 * has printed so many; the lines, without one that the kill may have cut.
 */
export async function killAfter(
  acknowledgements: number,
  program: string,
  folder: string,
): Promise<string[]> {
  const writer = spawn(process.execPath, [program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  writer.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
    if (printed.split('\n').length > acknowledgements) writer.kill('SIGKILL')
  })
  await once(writer, 'close')
  return printed.split('\n').slice(0, -1)
}
