import { SHIPMENT } from '../rig/service.ts';
import { each, promises } from './promise.ts';

promises('Exit codes', [
  {
    says: '0 is done',
    rig: { files: { 'order.json': SHIPMENT } },
    run: 'ship order.json --key A-1',
    exit: 0,
  },
  ...each({ says: '2 is a wrong command line, and nothing was sent', exit: 2, stderr: 'error: ', sent: [] }, [
    'shp',
    'ship --kee A-1',
    'track',
    'label',
  ]),
]);
