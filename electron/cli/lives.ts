import { canBeRescued, openRescue, type RescueOptions } from '#server/modules/backups/rescue.ts'
import { type Gateway, type GatewayOptions, openGateway } from '#server/server.ts'

export interface World {
  readonly options: GatewayOptions
  /** Where the data cannot be opened, a page that mends them is served in place of the gateway. */
  readonly isRescue: boolean
  /**
   * Asked for once, when something is up: a start that is cut short ends the process as any other
   * does.
   */
  readonly untilStopped: () => Promise<void>
  /** Says where something serves. */
  readonly tell: (line: Readonly<Record<string, unknown>>) => void
}

type End = 'stopped' | 'again'
type Life = Omit<World, 'untilStopped'> & { readonly stopped: () => Promise<End> }

/**
 * The gateway until the process is told to stop. A restore ends it and opens it again: in this
 * process, so that neither a service manager nor the desktop app has to know of it.
 * @throws StartError, StoreError as `openGateway`
 */
export async function liveOn({ untilStopped, ...world }: World): Promise<void> {
  let stopping: Promise<End> | undefined
  const stopped = () => (stopping ??= untilStopped().then(() => 'stopped'))
  // A page that is open goes on where the first back-up did not help.
  let token: string | undefined
  // The key may leave its file while a gateway runs: the next one is handed what this one had.
  let { dataKey } = world.options
  for (;;) {
    const end = await live({ ...world, stopped })
    if (end === 'stopped') return
    world.options.log.info('starting again')
  }

  async function live({ options, isRescue, stopped, tell }: Life): Promise<End> {
    const { log } = options
    const again = Promise.withResolvers<End>()
    let gateway: Gateway
    try {
      gateway = await openGateway({
        ...options,
        dataKey,
        onRecoveryKey(inForce) {
          dataKey = inForce
          options.onRecoveryKey?.(inForce)
        },
        restart: () => again.resolve('again'),
      })
    } catch (error) {
      if (!isRescue || !canBeRescued(error)) throw error
      return await rescue({ options, isRescue, stopped, tell }, error)
    }
    await using _ = gateway
    const { http, https, dimse, dimseTls } = gateway
    // A reader of the line may tell it to stop at once.
    const isToldToStop = stopped()
    tell({
      ready: true,
      http,
      ...(https && { https }),
      ...(dimse && { dimse }),
      ...(options.isSafe && { safeMode: true }),
      ...(dimseTls && { dimseTls }),
    })
    log.info({ http, dimse }, 'ready')
    const end = await Promise.race([again.promise, isToldToStop])
    log.info('stopping')
    return end
  }

  async function rescue(
    { options, stopped, tell }: Life,
    fault: RescueOptions['fault'],
  ): Promise<End> {
    const { folder, log, version, pageFolder, overrides } = options
    const done = Promise.withResolvers<End>()
    await using page = await openRescue({
      ...{ folder, fault, log, version, pageFolder, dataKey, token },
      ...{
        host: overrides?.['http.host'],
        port: overrides?.['http.port'],
        onDone: () => done.resolve('again'),
      },
    })
    token = page.token
    const isToldToStop = stopped()
    tell({ ready: true, rescue: true, http: page.http, link: page.link })
    return await Promise.race([done.promise, isToldToStop])
  }
}
