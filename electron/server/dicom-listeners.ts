import type { Context } from './context.ts'
import { observeAssociations } from './modules/devices/association-feed.ts'
import { associationPolicy } from './modules/devices/association-policy.ts'
import { Dicom } from './modules/devices/dicom-services.ts'
import type { AdmittedConnections } from './platform/connection-budget.ts'
import type { Services } from './routes.ts'

/** Opens the DICOM listeners. */
export async function openDevices(
  context: Context,
  {
    images,
    associationLog,
    traces,
    metrics,
    certificates,
  }: Pick<Services, 'images' | 'associationLog' | 'traces' | 'metrics' | 'certificates'>,
  admitted: AdmittedConnections,
): Promise<Dicom> {
  await using opened = new AsyncDisposableStack()
  const { disk, forwarding, completion, confirmations } = images
  const expectsFrom = (...of: Parameters<typeof forwarding.pulls.expects>) =>
    forwarding.pulls.expects(...of)
  const storageFault = () => (disk.takesImages() ? undefined : disk.storage().detail)
  const dicom = opened.use(
    new Dicom(
      context,
      associationPolicy(context, storageFault, expectsFrom, (title) =>
        confirmations.expects(title),
      ),
    ),
  )
  // When the sender disconnects, the study completes sooner or is marked as interrupted.
  const observer = observeAssociations(context, associationLog, expectsFrom, (id, how) =>
    completion.associationClosed(id, how),
  )
  await dicom.listen(
    images.services,
    metrics.observing(traces.observing(observer)),
    certificates,
    admitted,
  )
  opened.move()
  return dicom
}
