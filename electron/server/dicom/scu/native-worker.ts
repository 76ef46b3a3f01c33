import { createRequire } from 'node:module'

// A process of its own for one call of dicom-dimse-native: a call holds one of few threads, cannot
// be interrupted, and writes dicom.log where the process was started. Whoever started it kills it.

/** One call of the module. */
export interface NativeCall {
  readonly name: 'echoScu' | 'findScu' | 'recompress'
  readonly options: unknown
}

/** What came of it: the module's own final answer, or why it could not be loaded. */
export type NativeAnswer = { readonly answer: string } | { readonly missing: string }

type Module = Readonly<
  Record<NativeCall['name'], (options: unknown, callback: (answer: string) => void) => void>
>

/** The other side: a parent of plain Node, or Electron's main process. */
interface Parent {
  listen(listener: (call: NativeCall) => void): void
  tell(answer: NativeAnswer): void
}

/** Electron's utility processes have this instead of `process.send`. */
interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: NativeCall }) => void): void
  postMessage(message: NativeAnswer): void
}

function parent(): Parent {
  const port = (process as { parentPort?: ParentPort }).parentPort
  if (port)
    return {
      listen: (listener) => port.on('message', ({ data }) => listener(data)),
      tell: (answer) => port.postMessage(answer),
    }
  // Without its parent nobody would end it.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  return {
    listen: (listener) => process.on('message', (message) => listener(message as NativeCall)),
    tell: (answer) => process.send?.(answer),
  }
}

const { listen, tell } = parent()
listen(({ name, options }) => {
  let module: Module
  try {
    module = createRequire(import.meta.url)('dicom-dimse-native') as Module
  } catch (error) {
    tell({ missing: (error as NodeJS.ErrnoException).code ?? 'it does not load' })
    return
  }
  module[name](options, (answer) => {
    // Code 1: not the last one.
    if ((JSON.parse(answer) as { readonly code: number }).code !== 1) tell({ answer })
  })
})
