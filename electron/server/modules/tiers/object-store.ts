import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { Clock } from '#server/platform/clock.ts'
import type { Agents } from '#server/webhooks/agents.ts'
import type { S3Settings } from '#shared/contract/tiers.ts'
import { message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import type { ContentDigest } from './content-digest.ts'
import { S3Transport } from './s3-transport.ts'

/** Larger files are uploaded in parts of this size. At most two parts are held in memory. */
export const PART_BYTES = 16 << 20
const CONCURRENT_PARTS = 2

/** How an object is encrypted at rest by the store. */
export type ObjectEncryption = S3Settings['encryption']

export interface ObjectStoreOptions {
  readonly settings: S3Settings
  readonly secretAccessKey: string
  /** The key of SSE-C, 32 bytes. */
  readonly customerKey: Buffer | undefined
  readonly agents: Agents
  readonly clock: Clock
}

/**
 * A bucket of an S3-compatible object store. Errors are those of the AWS SDK and of the network
 * (`store-fault.ts` explains them), or the reason of the signal.
 */
export class ObjectStore {
  readonly #settings: S3Settings
  readonly #client: S3Client
  readonly #transport: S3Transport
  readonly #customerKey: Buffer | undefined

  constructor({ settings, secretAccessKey, customerKey, agents, clock }: ObjectStoreOptions) {
    this.#settings = settings
    this.#customerKey = customerKey
    this.#transport = new S3Transport(agents, clock)
    this.#client = new S3Client({
      endpoint: settings.endpoint,
      region: settings.region,
      forcePathStyle: settings.isPathStyle,
      credentials: { accessKeyId: settings.accessKeyId, secretAccessKey },
      requestHandler: this.#transport,
      // Older stores refuse the checksum headers of the SDK. The signature of each request covers
      // the SHA-256 of its body, and what is stored is read back.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 3,
    })
  }

  /** The store's clock minus that of this PC at the last response, in milliseconds. */
  get clockDifferenceMs(): number {
    return this.#transport.clockDifferenceMs
  }

  /** The key of an object, with the prefix of the settings. */
  keyOf(name: string): string {
    return `${this.#settings.prefix}${name}`
  }

  /**
   * Writes a small object.
   * @throws MessageError if the store did not encrypt it as it was asked to
   */
  async write(key: string, body: Buffer, signal: AbortSignal): Promise<void> {
    const answer = await this.#client.send(
      new PutObjectCommand({
        ...this.#object(key),
        ...this.#encryption(this.#settings.encryption),
        Body: body,
        ContentType: 'application/dicom',
      }),
      { abortSignal: signal },
    )
    // Stores that do not know it, such as Ceph 16, ignore the request.
    if (this.#settings.encryption === 'sse-s3' && answer.ServerSideEncryption !== 'AES256')
      throw new MessageError(message('tiers.encryption-refused'))
  }

  /** Writes a file, in parts if it is larger than `PART_BYTES`, and computes its checksums. */
  async writeFile(
    key: string,
    path: string,
    bytes: number,
    digest: ContentDigest,
    signal: AbortSignal,
  ): Promise<void> {
    if (bytes <= PART_BYTES) {
      const body = await readFile(path)
      digest.update(body)
      return await this.write(key, body, signal)
    }
    await this.#discardUploads(key, signal)
    await this.#upload(key, path, digest, signal)
  }

  async #upload(
    key: string,
    path: string,
    digest: ContentDigest,
    signal: AbortSignal,
  ): Promise<void> {
    async function* digested(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        digest.update(chunk)
        yield chunk
      }
    }
    const requestAbort = new AbortController()
    const abort = () => requestAbort.abort(signal.reason)
    signal.addEventListener('abort', abort)
    const source = createReadStream(path, { highWaterMark: 1 << 20 })
    try {
      const upload = new Upload({
        client: this.#client,
        params: {
          ...this.#object(key),
          ...this.#encryption(this.#settings.encryption),
          Body: Readable.from(digested(source), { objectMode: false }),
          ContentType: 'application/dicom',
        },
        partSize: PART_BYTES,
        queueSize: CONCURRENT_PARTS,
        abortController: requestAbort,
      })
      await upload.done()
    } finally {
      source.destroy()
      signal.removeEventListener('abort', abort)
    }
  }

  /** Discards the parts that an interrupted upload of the object has left in the store. */
  async #discardUploads(key: string, signal: AbortSignal): Promise<void> {
    const listed = await this.#client
      .send(new ListMultipartUploadsCommand({ Bucket: this.#settings.bucket, Prefix: key }), {
        abortSignal: signal,
      })
      .catch((error: Error) => {
        // A store without such a list has to discard them by itself.
        if (error.name === 'NotImplemented') return { Uploads: [] }
        throw error
      })
    for (const { Key, UploadId } of listed.Uploads ?? [])
      if (Key === key && UploadId !== undefined)
        await this.#client.send(
          new AbortMultipartUploadCommand({ ...this.#object(key), UploadId }),
          {
            abortSignal: signal,
          },
        )
  }

  /**
   * The content of an object as a stream, which ends with an error after 30 s without a byte.
   * @param encryption how it was encrypted when it was written
   */
  async read(key: string, encryption: ObjectEncryption, signal: AbortSignal): Promise<Readable> {
    const { Body } = await this.#client.send(
      new GetObjectCommand({
        ...this.#object(key),
        ...(encryption === 'sse-c' && this.#encryption(encryption)),
      }),
      { abortSignal: signal },
    )
    return Body as Readable
  }

  /** Reads an object and computes its checksums. */
  async readInto(
    digest: ContentDigest,
    key: string,
    encryption: ObjectEncryption,
    signal: AbortSignal,
  ): Promise<void> {
    const body = await this.read(key, encryption, signal)
    for await (const chunk of body as AsyncIterable<Buffer>) digest.update(chunk)
  }

  /** Deletes an object; a missing one is no error. */
  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#object(key)), { abortSignal: signal })
  }

  /** Reads one page of the list of objects, which shows whether the bucket may be read. */
  async probe(signal: AbortSignal): Promise<void> {
    const { bucket, prefix } = this.#settings
    await this.#client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }),
      { abortSignal: signal },
    )
  }

  /** Keys and lengths of all objects below the prefix, in the order of the keys. */
  async *list(
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly key: string; readonly bytes: number }> {
    const { bucket, prefix } = this.#settings
    for (let token: string | undefined; ; ) {
      const page = await this.#client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }),
        { abortSignal: signal },
      )
      for (const { Key, Size } of page.Contents ?? [])
        if (Key !== undefined) yield { key: Key, bytes: Size ?? 0 }
      token = page.NextContinuationToken
      if (token === undefined) return
    }
  }

  close(): void {
    this.#client.destroy()
  }

  #object = (key: string) => ({ Bucket: this.#settings.bucket, Key: key })

  #encryption(encryption: ObjectEncryption) {
    if (encryption === 'none') return {}
    if (encryption === 'sse-s3') return { ServerSideEncryption: 'AES256' } as const
    if (!this.#customerKey) throw new Error('A tier with SSE-C has no key.')
    return {
      SSECustomerAlgorithm: 'AES256',
      SSECustomerKey: this.#customerKey.toString('base64'),
    }
  }
}
