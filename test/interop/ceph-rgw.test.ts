import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { expect, it, onTestFinished } from 'vitest'
import { testStore } from '#server/modules/tiers/connection-test.ts'
import { ContentDigest } from '#server/modules/tiers/content-digest.ts'
import { ObjectStore, PART_BYTES } from '#server/modules/tiers/object-store.ts'
import { storeFault } from '#server/modules/tiers/store-fault.ts'
import { Agents } from '#server/webhooks/agents.ts'
import type { S3Settings } from '#shared/contract/tiers.ts'
import { englishText } from '#shared/messages/english.ts'
import { startCeph } from '../support/ceph.ts'
import { needs } from '../support/needs.ts'
import { tempFolder } from '../support/temp-store.ts'

// An object store as a hospital has one: the RADOS Gateway of Ceph, which checks signatures, wants
// TLS for SSE-C, and answers with its own errors.

const BUCKET = 'images'
const signal = new AbortController().signal

it('keeps images in Ceph, encrypted with the key of the gateway, in parts where they are large', {
  timeout: 240_000,
}, async (context) => {
  needs(context, 'ceph')
  const ceph = await startCeph()
  const { accessKeyId, secret } = ceph
  await new S3Client({
    ...{ endpoint: ceph.http, region: 'default', forcePathStyle: true },
    credentials: { accessKeyId, secretAccessKey: secret },
  }).send(new CreateBucketCommand({ Bucket: BUCKET }))
  const agents = new Agents(undefined, undefined, [ceph.certificate])
  onTestFinished(() => agents[Symbol.asyncDispose]())
  const key = randomBytes(32)
  const open = (
    settings: Partial<S3Settings> = {},
    more: { readonly secret?: string; readonly key?: Buffer } = {},
  ) =>
    new ObjectStore({
      settings: {
        ...{ kind: 's3', endpoint: ceph.https, region: 'default', bucket: BUCKET, prefix: 'a/' },
        ...{ accessKeyId, isPathStyle: true, encryption: 'none', certificate: null },
        ...settings,
      },
      secretAccessKey: more.secret ?? secret,
      customerKey: more.key ?? key,
      agents,
      clock: Date.now,
    })
  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => englishText(storeFault(error)),
    )
  const test = (store: ObjectStore, encryption: S3Settings['encryption'] = 'none') =>
    testStore({ uuid: () => 'one' }, store, encryption)

  expect(englishText(await test(open()))).toContain('written, read and deleted')
  expect(englishText(await test(open({ encryption: 'sse-c' }), 'sse-c'))).toContain('written, read')

  const faults = {
    secret: await faultOf(test(open({}, { secret: 'wrong' }))),
    accessKey: await faultOf(test(open({ accessKeyId: 'NOBODY' }))),
    bucket: await faultOf(test(open({ bucket: 'no-such-bucket' }))),
    // SSE-S3 came with Ceph 17; the one of Debian 12 is 16.
    encryption: await faultOf(test(open({ encryption: 'sse-s3' }))),
    plainText: await faultOf(test(open({ endpoint: ceph.http, encryption: 'sse-c' }), 'sse-c')),
  }
  expect(faults).toMatchInlineSnapshot(`
    {
      "accessKey": "the access key is not known to the store",
      "bucket": "there is no bucket with this name",
      "encryption": "the store does not support this encryption",
      "plainText": "the store answered InvalidRequest (status 400)",
      "secret": "the secret key does not match the access key",
    }
  `)

  using temporary = tempFolder()
  const path = join(temporary.folder, 'large.dcm')
  const content = randomBytes(2 * PART_BYTES + 4711)
  writeFileSync(path, content)
  for (const encryption of ['none', 'sse-c'] as const) {
    const store = open({ encryption })
    const [written, read] = [new ContentDigest(0), new ContentDigest(0)]
    const object = store.keyOf(`large-${encryption}`)
    await store.writeFile(object, path, content.length, written, signal)
    await store.readInto(read, object, encryption, signal)
    expect(read.bytes).toBe(content.length)
    expect(read.sha256()).toEqual(written.sha256())
  }
  expect(
    await faultOf(
      open({}, { key: randomBytes(32) }).readInto(
        new ContentDigest(0),
        'a/large-sse-c',
        'sse-c',
        signal,
      ),
    ),
  ).toMatchInlineSnapshot(`"the store answered InvalidArgument (status 400)"`)
  const keys: string[] = []
  for await (const { key: found } of open().list(signal)) keys.push(found)
  expect(keys).toEqual(['a/large-none', 'a/large-sse-c'])
  const [first = ''] = keys
  await open().remove(first, signal)
  await open().remove(first, signal)
  expect(await faultOf(open().readInto(new ContentDigest(0), first, 'none', signal))).toBe(
    'the store no longer has the object',
  )
})
