import { createRequire } from 'node:module'

// Runs in a separate process for one call of dicom-dimse-native: a call occupies one of few
// threads, cannot be interrupted, and writes dicom.log to the working directory. The parent process
// kills it.

/** Options of the module function that is used. */
export interface RecompressOptions {
  readonly sourcePath: string
  /** Folder for the result. */
  readonly storagePath: string
  /** Transfer syntax UID. */
  readonly writeTransfer: string
  readonly enableRecompression: boolean
}

/** The result of a call: the module's final answer, or why the module could not be loaded. */
export type NativeAnswer = { readonly answer: string } | { readonly missing: string }

interface Module {
  recompress(options: RecompressOptions, callback: (answer: string) => void): void
}

/** The parent process: plain Node, or Electron's main process. */
interface Parent {
  listen(listener: (call: RecompressOptions) => void): void
  reply(answer: NativeAnswer): void
}

/** Electron's utility processes have this instead of `process.send`. */
interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: RecompressOptions }) => void): void
  postMessage(message: NativeAnswer): void
}

function parent(): Parent {
  const port = (process as { parentPort?: ParentPort }).parentPort
  if (port)
    return {
      listen: (listener) => port.on('message', ({ data }) => listener(data)),
      reply: (answer) => port.postMessage(answer),
    }
  // Nothing else would end this process after its parent.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  return {
    listen: (listener) =>
      process.on('message', (message) => listener(message as RecompressOptions)),
    reply: (answer) => process.send?.(answer),
  }
}

const { listen, reply } = parent()
listen((options) => {
  let module: Module
  try {
    module = createRequire(import.meta.url)('dicom-dimse-native') as Module
  } catch (error) {
    reply({ missing: (error as NodeJS.ErrnoException).code ?? 'it does not load' })
    return
  }
  module.recompress(options, (answer) => {
    // Code 1 marks an intermediate answer.
    if ((JSON.parse(answer) as { readonly code: number }).code !== 1) reply({ answer })
  })
})
