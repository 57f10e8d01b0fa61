"""The merchant's account: balance, services, bills of customers, sub-merchants."""

from __future__ import annotations

from typing import Any, Iterator, List, Mapping, Optional, cast

from .transport import Request, json_of
from .types import Balance, BillCustomer, Bills, Service
from .types import SubMerchant, SubMerchantChanges, SubMerchantOrder
from .verb import Verbs, part, repeatable


class Account(Verbs):
    def get_balance(self) -> Balance:
        """What can be spent now."""
        path = "/api/v1/api-services/balance"
        return self._get(path, lambda body: cast(Balance, body["balance"]))

    def list_services(self) -> List[Service]:
        """The services that your account may use."""
        return self._get("/api/v1/api-services/services", lambda body: body["services"])

    def inquire_bills(self, customer: BillCustomer) -> Bills:
        """The bills of a customer, or the state of a prepaid meter."""
        request = Request("POST", "/api/v1/billing/inquiry", json_of(customer))

        def read(body: Mapping[str, Any]) -> Bills:
            return Bills(referenceClient=body["referenceClient"], bills=body["bills"])

        return self._calls.ask(request, read)

    def create_sub_merchant(self, shop: SubMerchantOrder) -> SubMerchant:
        """Makes a shop of yours whose name payers are shown."""
        return self._change("POST", "", shop)

    def get_sub_merchant(self, id: str) -> SubMerchant:
        return self._change("GET", f"/{part(id)}", None)

    def update_sub_merchant(self, id: str, changes: SubMerchantChanges) -> SubMerchant:
        return self._change("PATCH", f"/{part(id)}", changes)

    def deactivate_sub_merchant(self, id: str) -> SubMerchant:
        """From now on payments cannot name it."""
        return self._change("DELETE", f"/{part(id)}", None)

    def list_sub_merchants(self) -> Iterator[SubMerchant]:
        """All your shops."""
        page = 1
        while True:
            path = f"/api/v1/sub-merchant?page={page}&limit=100"
            shops, pages = self._get(path, lambda body: (body["data"], body["totalPages"]))
            yield from shops
            if page >= pages:
                return
            page += 1

    def _change(self, method: str, path: str, body: Optional[Mapping[str, Any]]) -> SubMerchant:
        request = repeatable(method, f"/api/v1/sub-merchant{path}", body)
        return self._calls.ask(request, lambda answer: cast(SubMerchant, answer["data"]))
