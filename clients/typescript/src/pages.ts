import type { Request, Transport } from './transport.ts'

interface Page {
  readonly hasMore: boolean
  readonly cursor?: string | undefined
}

/**
 * A list. `await` returns its first page; `for await` goes through the entries of all pages, and
 * asks for each page when it is needed.
 */
export class Pages<P extends Page, T> implements PromiseLike<P>, AsyncIterable<T> {
  readonly #transport: Transport
  readonly #request: Request
  readonly #key: string

  /** @param key the field of a page that contains its entries */
  constructor(transport: Transport, request: Request, key: string) {
    this.#transport = transport
    this.#request = request
    this.#key = key
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` returns the first page, as documented.
  then<R = P, F = never>(
    resolve?: ((page: P) => R | PromiseLike<R>) | null,
    reject?: ((reason: unknown) => F | PromiseLike<F>) | null,
  ): Promise<R | F> {
    return this.#transport.send<P>(this.#request).then(resolve, reject)
  }

  /** The pages, one after another. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let request = this.#request
    for (;;) {
      const page = await this.#transport.send<P>(request)
      yield page
      if (!page.hasMore || !page.cursor) return
      request = { ...request, query: { ...request.query, cursor: page.cursor } }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* Reflect.get(page, this.#key) as readonly T[]
  }

  /** The entries of all pages, at most `most`. */
  async toArray({
    most = Number.POSITIVE_INFINITY,
  }: {
    readonly most?: number
  } = {}): Promise<T[]> {
    const entries: T[] = []
    if (most <= 0) return entries
    for await (const entry of this) {
      entries.push(entry)
      if (entries.length >= most) break
    }
    return entries
  }
}
