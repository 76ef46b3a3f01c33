import { Button, Menu, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { useZone } from '../../api/status.ts'
import { numberText } from '../../format/amounts.ts'
import { todayIn } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import { saveFile } from '../../ui/save-file.ts'
import { templateFile } from './template-file.ts'

/** Saves templates and macros as a file: mine, or everybody's. */
export function ExportMenu({
  mine,
  everybodys,
}: {
  mine: readonly ReportTemplate[]
  everybodys: readonly ReportTemplate[]
}) {
  const zone = useZone()
  const save = (templates: readonly ReportTemplate[], whose: string) =>
    saveFile(
      `isthmus-templates-${whose}-${todayIn(zone, new Date())}.json`,
      templateFile(templates),
      'application/json',
    )
  const offers = [
    ['mine', mine, t('ui.templates.exporting.mine')],
    ['everybody', everybodys, t('ui.templates.exporting.everybody')],
  ] as const
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />}>
          {t('ui.templates.exporting.button')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {offers.map(([whose, templates, name]) => (
          <Menu.Item
            key={whose}
            disabled={templates.length === 0}
            onClick={() => save(templates, whose)}
          >
            {name}{' '}
            <Text span c="dimmed" size="sm">
              {numberText(templates.length)}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
