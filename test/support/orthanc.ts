import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchFolder } from './dcmtk.ts'
import { freePort } from './free-port.ts'
import { httpCall } from './http-call.ts'

/** Its plugin for DICOMweb, as Debian's package lays it down. */
export const DICOMWEB_PLUGIN = '/usr/share/orthanc/plugins/libOrthancDicomWeb.so'

/** A running Orthanc whose AE title is ORTHANC and that knows us as the modality `isthmus`. */
export interface Orthanc extends AsyncDisposable {
  /** Of its DICOM listener. */
  readonly port: number
  /** Of its REST interface. */
  readonly url: string
  /**
   * Its REST interface, JSON or bytes in, JSON out. Rejects with its answer where that is no
   * success.
   */
  rest<T>(path: string, body?: object | Buffer): Promise<T>
  /** The bytes that a path of its REST interface gives. */
  download(path: string): Promise<Buffer>
  /** How many instances it has. */
  instances(): Promise<number>
}

/**
 * `ourPort`: of our DIMSE listener; `options`: more of its configuration; `dicomPort`: where its
 * own listener has to be known before.
 */
export async function startOrthanc(
  ourPort: number,
  options: object = {},
  dicomPort?: number,
): Promise<Orthanc> {
  const scratch = scratchFolder()
  const [http, port] = [await freePort(), dicomPort ?? (await freePort())]
  const folder = join(scratch.path, 'storage')
  mkdirSync(folder)
  const configuration = {
    ...{
      Name: 'TEST',
      StorageDirectory: folder,
      IndexDirectory: folder,
      HttpPort: http,
      RemoteAccessAllowed: false,
    },
    ...{ AuthenticationEnabled: false, DicomAet: 'ORTHANC', DicomPort: port, Plugins: [] },
    // In its first setting it turns every answer into Latin-1, and leaves out what that has not.
    DefaultEncoding: 'Utf8',
    DicomModalities: { isthmus: ['ISTHMUS', '127.0.0.1', ourPort] },
    ...options,
  }
  const file = join(scratch.path, 'orthanc.json')
  writeFileSync(file, JSON.stringify(configuration))
  const server = spawn('Orthanc', [file], { cwd: scratch.path, stdio: 'ignore' })
  const exited = once(server, 'exit')
  const url = `http://127.0.0.1:${http}`
  for (let tries = 0; tries < 200; tries++) {
    const up = await httpCall(`${url}/system`).catch(() => undefined)
    if (up?.status === 200) break
    await sleep(50)
  }

  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await fetch(`${url}${path}`, init)
    if (!answer.ok) throw new Error(`Orthanc answered ${answer.status}: ${await answer.text()}`)
    return answer
  }
  async function rest<T>(path: string, body?: object | Buffer): Promise<T> {
    const sent =
      body === undefined
        ? {}
        : {
            method: 'POST',
            body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
          }
    return (await call(path, sent)).json() as Promise<T>
  }

  return {
    port,
    url,
    rest,
    download: (path) => download(`${url}${path}`),
    instances: async () => (await rest<{ CountInstances: number }>('/statistics')).CountInstances,
    async [Symbol.asyncDispose]() {
      // Nothing of it is needed any more: it takes three seconds to end by itself.
      server.kill('SIGKILL')
      await exited
      scratch[Symbol.dispose]()
    },
  }
}

/** With a connection of its own: Orthanc closes those that it keeps under fetch while it reads. */
function download(url: string): Promise<Buffer> {
  return new Promise((settle, fail) => {
    get(url, { agent: false }, (answer) => {
      if (answer.statusCode !== 200) fail(new Error(`Orthanc answered ${answer.statusCode}`))
      buffer(answer).then(settle, fail)
    }).on('error', fail)
  })
}
