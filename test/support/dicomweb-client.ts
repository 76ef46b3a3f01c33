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
    this.#headers.set(name, value)
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

interface OfStudy {
  readonly studyInstanceUID: string
}
interface OfSeries extends OfStudy {
  readonly seriesInstanceUID: string
}
interface OfInstance extends OfSeries {
  readonly sopInstanceUID: string
}
/** DICOM JSON (PS3.18 Annex F): attributes by tag. */
export type DicomJson = Readonly<
  Record<string, { readonly vr: string; readonly Value?: readonly unknown[] }>
>

/** What the tests call of it; its own types say that most results are something else. */
export interface DicomwebClient {
  searchForStudies(options: {
    readonly queryParams: Readonly<Record<string, string>>
  }): Promise<DicomJson[]>
  searchForSeries(options: OfStudy): Promise<DicomJson[]>
  searchForInstances(options: OfStudy): Promise<DicomJson[]>
  retrieveStudy(options: OfStudy): Promise<ArrayBuffer[]>
  retrieveSeries(options: OfSeries): Promise<ArrayBuffer[]>
  retrieveInstance(options: OfInstance): Promise<ArrayBuffer>
  retrieveStudyMetadata(options: OfStudy): Promise<DicomJson[]>
  retrieveInstanceMetadata(options: OfInstance): Promise<DicomJson[]>
  retrieveInstanceFrames(
    options: OfInstance & { readonly frameNumbers: readonly number[] },
  ): Promise<ArrayBuffer[]>
  retrieveInstanceRendered(
    options: OfInstance & { readonly mediaTypes: readonly { readonly mediaType: string }[] },
  ): Promise<ArrayBuffer[]>
  storeInstances(options: { readonly datasets: readonly ArrayBuffer[] }): Promise<unknown>
}

/**
 * The client that OHIF is built on, for a server and a key.
 * @param accept in place of the client's own Accept, which has no way to ask for every transfer
 *   syntax
 */
export function dicomwebClient(url: string, key: string, accept?: string): DicomwebClient {
  Object.assign(globalThis, { XMLHttpRequest: FetchedRequest })
  const headers = { Authorization: `Bearer ${key}`, ...(accept && { Accept: accept }) }
  const client: unknown = new api.DICOMwebClient({
    ...{ url, headers, verbose: false, singlepart: false },
  })
  return client as DicomwebClient
}
