// Collects once, refuses to do it twice, and prints the final status.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"example.com/client/passerelle"
)

func main() {
	ctx := context.Background()
	signIn := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	client, err := passerelle.NewClientWithResponses(os.Args[1], passerelle.WithRequestEditorFn(signIn))
	end(err)
	back := "https://shop.example/back"
	order := passerelle.InitRequest{
		ExternalTransactionId: "oapi-codegen-1",
		ServiceCode:           "WALLETA_SN_CASHOUT",
		Amount:                5000,
		Number:                "771234567",
		CallBackURL:           back,
		SuccessUrl:            back,
		FailureUrl:            back,
	}
	made, err := client.InitTransactionWithResponse(ctx, nil, order)
	end(err)
	again, err := client.InitTransactionWithResponse(ctx, nil, order)
	end(err)
	if made.JSON201 == nil || again.JSON409 == nil {
		end(fmt.Errorf("the orders were answered %s and %s", made.Status(), again.Status()))
	}
	id := made.JSON201.Transaction.TransactionId
	status := "PENDING"
	for status == "PENDING" || status == "PROCESSING" {
		time.Sleep(200 * time.Millisecond)
		found, err := client.GetTransactionWithResponse(ctx, id)
		end(err)
		if found.JSON200 == nil {
			end(fmt.Errorf("answered %s", found.Status()))
		}
		status = string(found.JSON200.Transaction.Status)
	}
	fmt.Println(status)
}

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
