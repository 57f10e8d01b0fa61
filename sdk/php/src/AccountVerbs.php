<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * The merchant's account: balance, services, bills of customers, sub-merchants.
 */
trait AccountVerbs
{
    /**
     * What can be spent now.
     *
     * @return array{balance: int, currency: string, lastUpdate: string}
     */
    public function getBalance(): array
    {
        return $this->get(
            '/api/v1/api-services/balance',
            static fn(array $body): array => $body['balance'],
        );
    }

    /**
     * The services that your account may use.
     *
     * @return list<array{serviceName: string, serviceCode: string, serviceType: string,
     *   country: string, available: bool}>
     */
    public function listServices(): array
    {
        return $this->get(
            '/api/v1/api-services/services',
            static fn(array $body): array => $body['services'],
        );
    }

    /**
     * The bills of a customer, or the state of a prepaid meter.
     *
     * @param array{serviceCode: string, reference_client: string} $customer
     * @return array{referenceClient: string, bills: list<array{referenceClient: string,
     *   referenceFacture: string, nom: string, prenom: ?string, montant: int, frais: int,
     *   total: int, dateEcheance: string, paid: bool, address: ?string, meterStatus: ?string,
     *   paymentTransactionNumber: ?string}>}
     */
    public function inquireBills(array $customer): array
    {
        $request = new Request('POST', '/api/v1/billing/inquiry', $customer);
        return $this->calls->ask($request, static fn(array $body): array => [
            'referenceClient' => $body['referenceClient'],
            'bills' => $body['bills'],
        ]);
    }

    /**
     * Makes a shop of yours whose name payers are shown.
     *
     * @param array{name: string, commercialName: string, countries: list<string>,
     *   description?: string, legalName?: string, businessActivity?: string,
     *   managerName?: string, websiteURL?: string, phoneNumber?: string, city?: string,
     *   address?: string, zipcode?: string} $shop
     * @return array{subMerchantId: string, name: string, commercialName: string,
     *   countries: list<string>, isActive: bool, isDefault: bool, CREATED_AT: string}
     */
    public function createSubMerchant(array $shop): array
    {
        return $this->change('POST', '', $shop);
    }

    /** @return array<string, mixed> as of createSubMerchant */
    public function getSubMerchant(string $id): array
    {
        return $this->change('GET', '/' . Request::part($id), null);
    }

    /**
     * @param array<string, mixed> $changes any fields of createSubMerchant, `isActive`, `isDefault`
     * @return array<string, mixed> as of createSubMerchant
     */
    public function updateSubMerchant(string $id, array $changes): array
    {
        return $this->change('PATCH', '/' . Request::part($id), $changes);
    }

    /**
     * From now on payments cannot name it.
     *
     * @return array<string, mixed> as of createSubMerchant
     */
    public function deactivateSubMerchant(string $id): array
    {
        return $this->change('DELETE', '/' . Request::part($id), null);
    }

    /**
     * All your shops.
     *
     * @return \Generator<int, array<string, mixed>> each as of createSubMerchant
     */
    public function listSubMerchants(): \Generator
    {
        $page = 1;
        do {
            [$shops, $pages] = $this->get(
                '/api/v1/sub-merchant' . Request::query(['page' => $page, 'limit' => 100]),
                static fn(array $body): array => [$body['data'], $body['totalPages']],
            );
            foreach ($shops as $shop) {
                yield $shop;
            }
            $page += 1;
        } while ($page <= $pages);
    }

    /**
     * @param array<string, mixed>|null $body
     * @return array<string, mixed>
     */
    private function change(string $method, string $path, ?array $body): array
    {
        $request = Request::repeatable($method, "/api/v1/sub-merchant$path", $body);
        return $this->calls->ask($request, static fn(array $answer): array => $answer['data']);
    }
}
