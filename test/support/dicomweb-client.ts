import { api } from 'dicomweb-client'

/**
 * XMLHttpRequest for Node, as far as `dicomweb-client` uses it: the client is made for browsers.
 * Every response is read as bytes first, since a browser gives them as they came, too.
 */
class FetchedRequest {
  responseType = ''
  readyState = 0
  status = 0
  response: unknown
  onreadystatechange: () => void = () => {}
  readonly #headers = new Headers()
  #call: readonly [method: string, url: string] = ['GET', '']
  #received = new Headers()

  open(method: string, url: string): void {
    this.#call = [method, url]
  }
  setRequestHeader(name: string, value: string): void {
    this.#headers.append(name, value)
  }
  getResponseHeader(name: string): string | null {
    return this.#received.get(name)
  }
  getAllResponseHeaders(): string {
    return [...this.#received].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }
  send(body?: ArrayBuffer): void {
    void this.#fetch(body).finally(() => {
      this.readyState = 4
      this.onreadystatechange()
    })
  }
  async #fetch(body?: ArrayBuffer): Promise<void> {
    const [method, url] = this.#call
    const answer = await fetch(url, { method, headers: this.#headers, ...(body && { body }) })
    const bytes = await answer.arrayBuffer()
    this.#received = answer.headers
    this.status = answer.status
    const text = () => new TextDecoder().decode(bytes)
    if (this.responseType === 'json')
      this.response = bytes.byteLength > 0 ? JSON.parse(text()) : null
    else this.response = this.responseType === 'arraybuffer' ? bytes : text()
  }
}

export type DicomwebClient = InstanceType<typeof api.DICOMwebClient>

/** The client that OHIF is built on, for a server and a key. */
export function dicomwebClient(url: string, key: string): DicomwebClient {
  Object.assign(globalThis, { XMLHttpRequest: FetchedRequest })
  const headers = { Authorization: `Bearer ${key}` }
  return new api.DICOMwebClient({ url, headers, verbose: false })
}
