import { certify } from '../rig/certificates.ts';

/** A certificate that signs itself, for loopback and `service.test`. */
export const certificate = certify({ name: 'localhost', hosts: ['service.test'], ips: ['127.0.0.1'] });
