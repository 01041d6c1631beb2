import { fromConfig } from '../../settings/config.ts';
import type { Step } from '../request.ts';

/** Adds the headers that OWASP's REST cheat sheet asks of an API that no browser should render, frame or guess the type of. */
export function securityHeaders(): Step {
  return { after: addSecurityHeaders, onError: addSecurityHeaders };
}

const addSecurityHeaders: NonNullable<Step['after']> = ({ response }) => {
  if (response) response.headers = { ...headers(), ...response.headers };
};

/** The headers and their values. */
export const headers = fromConfig((config) => ({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  // The operator of this host may have no say over its subdomains, which need not have TLS.
  'Strict-Transport-Security': `max-age=31536000${config.hsts === 'subdomains' ? '; includeSubDomains' : ''}`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}));
