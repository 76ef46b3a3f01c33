import type { Translated } from '../language/words.ts'
import type { English } from './words.ts'

export const es: Translated<English> = {
  title: 'Pedir la lista de trabajo como un equipo',
  about:
    'Muestra qué recibiría ahora un equipo, y por qué. La pregunta recorre la pasarela por el mismo camino que la de un equipo, hasta el mismo sistema asociado; solo falta la red entre el equipo y la pasarela.',
  noDevices: 'No hay ningún equipo en cuyo nombre preguntar',
  noDevicesText: 'Añada primero un equipo, o apruebe uno que haya llamado.',
  toDevices: 'Ir a equipos',
  keys: 'Lo que pide la consola',
  device: 'Preguntar como equipo',
  switchedOff: (device) => `${device}, desactivado`,
  patientName: 'Nombre del paciente',
  patientNameAbout: 'Apellido^Nombre; * equivale a cualquier letra',
  patientId: 'Identificador del paciente',
  accessionNumber: 'N.º de acceso',
  modality: 'Modalidad',
  stationAeTitle: 'AE title de la estación',
  startDate: 'Desde el día',
  endDate: 'Hasta el día',
  anyValue: 'cualquiera',
  anyDay: 'cualquier día',
  ask: 'Preguntar',
  again: 'Preguntar de nuevo',
  days: { today: 'Hoy', tomorrow: 'Mañana', none: 'Sin días' },
  noneAbout: 'Sin días, la pasarela pregunta por los de sus ajustes.',
  waiting: 'Se pregunta al sistema asociado como lo haría el equipo. Tarda lo mismo que esperaría el equipo.',
  before: 'Elija un equipo y pregunte',
  beforeText: 'La respuesta aparece aquí como la mostraría la consola, con el motivo de cada examen que no está en ella.',
}
